import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, load, refused, terminal, told, kernelFor } from './support.ts'
import { Commands } from '@amodal/sdk'

// Each of these would load as an agent without its guards, its policies or its prompt.
describe('an agent folder of the other layout', () => {
  const flat = { name: 'beds', key: '{bed_id}', schema: { bed_id: { type: 'string' } } }
  it.each([
    [
      'amodal/agents/default/AGENT.md',
      'You keep the beds.',
      'the folder `amodal`',
      1,
      'move the folders that stand in it beside amodal.json',
    ],
    [
      'hooks/dry/hook.json',
      '{ "name": "dry", "points": ["preToolUse"] }',
      'the folder `hooks`',
      1,
      'write each guard as a plugin',
    ],
    [
      'intents/water/intent.ts',
      'export default {}',
      'the folder `intents`',
      1,
      'write each one as a tool',
    ],
    [
      'agents/helper/agent.json',
      '{ "tools": ["bed_status"] }',
      'this file',
      1,
      'into the frontmatter of AGENT.md',
    ],
    [
      'agents/helper/agent.ts',
      'export default {}',
      'this file',
      1,
      'into the frontmatter of AGENT.md',
    ],
    ['agents/default/AGENT.md', 'You keep the beds.', 'this file', 1, 'name the folder `main`'],
    [
      'connections/farm/policy.json',
      '{ "endpoints": {} }',
      'this file',
      1,
      'write its rules into access.json',
    ],
    [
      'stores/beds.json',
      JSON.stringify(flat, null, 2),
      '`schema`',
      4,
      'write `key` and `schema` into `entity`',
    ],
    ['tools/water/tool.ts', 'export default {}', 'this file', 1, 'write a tool.json'],
    [
      'tools/water/tool.json',
      '{\n"description": "x",\n"triggers": []\n}',
      '`triggers`',
      3,
      'from a skill',
    ],
    [
      'connections/farm/spec.json',
      '{\n"baseUrl": "https://farm.example",\n"openapi": {}\n}',
      '`openapi`',
      3,
      'specUrl',
    ],
    [
      'amodal.json',
      '{\n"name": "a",\n"memory": { "enabled": false }\n}',
      '`memory`',
      3,
      '"without": "memory"',
    ],
    ['amodal.json', '{\n"name": "a",\n"runtimeApp": {}\n}', '`runtimeApp`', 3, 'server of yours'],
  ])('is refused for %s', async (path, text, what, line, fix) => {
    const dir = await folder({ 'knowledge/k.md': 'k', [path]: text })
    const { code, message, issues } = await refused(dir)
    expect(code).toBe('BAD_REPO')
    expect(message).toContain(path)
    const [issue] = issues.filter(({ severity }) => severity === 'error')
    expect(issue).toMatchObject({
      file: path,
      line,
      message: `${what} belongs to a layout of agent folders that is not supported yet, and the agent is not started without it`,
      fix: expect.stringContaining(fix) as string,
    })
    expect(issue?.fix).not.toMatch(/remove|delete/)

    const command = (await kernelFor(dir)).current().registry(Commands).get('validate')
    const { context, text: printed } = terminal(dir)
    expect(await command?.run(context)).toBe(1)
    expect(printed()).toContain(`${path}:${line}`)
  })

  it('is refused where the folder of guards is a link that is not followed', async () => {
    const outside = await folder({ 'hooks/dry/hook.json': '{}' })
    const dir = await folder()
    await symlink(join(outside, 'hooks'), join(dir, 'hooks'))
    expect((await refused(dir)).message).toContain('the folder `hooks` belongs to')
  })

  it('may have folders of these names that a plugin owns, and files that are none', async () => {
    const dir = await folder({
      'hooks/a.md': 'a',
      'tools/t/handler.ts': 'export {}',
      'tools/t/tool.ts': 'export {}',
      amodal: 'a script',
      'src/hooks/x.ts': 'x',
    })
    expect(told((await load(dir, { folders: ['hooks'] })).issues)).toEqual([])
    expect((await refused(dir)).message).toContain('hooks/a.md')
  })
})
