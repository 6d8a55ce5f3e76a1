import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, load, refused, terminal, told, kernelFor } from './support.ts'
import { Commands } from '@amodal/sdk'

// Each of these would load as an agent without its guards, its policies or its prompt.
describe('an agent folder of the other layout', () => {
  it.each([
    [
      'hooks/dry/hook.json',
      '{ "name": "dry", "points": ["preToolUse"] }',
      'the folder `hooks`',
      1,
      'take the plugin `tools-custom`',
    ],
    [
      'intents/water/intent.ts',
      'export default {}',
      'the folder `intents`',
      1,
      'write each one as a tool',
    ],
    [
      'connections/farm/spec.json',
      '{\n"baseUrl": "https://farm.example",\n"openapi": {}\n}',
      '`openapi`',
      3,
      'specUrl',
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
      message: `${what} belongs to a part of the second layout of agent folders that is not supported yet, and the agent is not started without it`,
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

describe('the folder `amodal`', () => {
  const flat = { key: '{bed_id}', schema: { bed_id: { type: 'string' } } }

  it('has parts, code that they share, and what belongs to a build', async () => {
    const dir = await folder({
      'amodal/agents/default/AGENT.md': 'You keep the beds.',
      'amodal/skills/water/SKILL.md': '---\nname: water\ndescription: d\n---\nSlowly.',
      'amodal/knowledge/soil.md': '# Soil\n\nLoam.',
      'amodal/stores/beds.json': JSON.stringify({ ...flat, indexed: ['bed_id'] }),
      'amodal/stores/beds.seed.json': '[{ "bed_id": "b1" }]',
      'amodal/_lib/a.ts': 'export {}',
      'amodal/_types/b.ts': 'export {}',
      'amodal/dist/c.js': 'x',
      'amodal/tools/a/a.test.ts': 'x',
    })
    const bundle = await load(dir)
    expect(told(bundle.issues)).toEqual([])
    expect(bundle.instructions?.body).toBe('You keep the beds.')
    expect(bundle.skills.map(({ name }) => name)).toEqual(['water'])
    expect(bundle.knowledge.map(({ name, file }) => [name, file])).toEqual([
      ['soil', 'amodal/knowledge/soil.md'],
    ])
    expect(bundle.stores).toMatchObject([
      { name: 'beds', entity: { key: '{bed_id}' }, deletable: false, seed: [{ bed_id: 'b1' }] },
    ])
  })

  it.each([
    ['amodal/widgets/a.ts', 'amodal/widgets', 'this is no part of an agent'],
    ['amodal/NOTES.txt', 'amodal/NOTES.txt', 'this is no part of an agent'],
    ['amodal/_lib/a.ts', 'amodal', 'nothing of amodal/ is a part of an agent'],
  ])('names what is no part: %s', async (path, file, message) => {
    const { issues } = await load(await folder({ [path]: 'x' }))
    expect(issues).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        file,
        message: expect.stringContaining(message) as string,
      }),
    )
  })

  it.each([
    ['entity and schema', { ...flat, entity: {} }, 'stands beside `entity`', 'key'],
    ['a hint for no field', { ...flat, indexed: ['crop'] }, 'is no field', 'indexed'],
    ['no flag', { ...flat, deletable: 'yes' }, '`deletable` must be', 'deletable'],
    ['a key of no field', { ...flat, key: '{id}' }, 'id', 'key'],
  ])('leaves out a store with %s, with its line', async (_what, store, message, field) => {
    const text = JSON.stringify(store, null, 2)
    const { issues, stores } = await load(await folder({ 'amodal/stores/beds.json': text }))
    expect(stores).toEqual([])
    const line = text.split('\n').findIndex((one) => one.includes(`"${field}"`)) + 1
    const [first] = issues
    expect(first?.message).toContain(message)
    expect(Math.abs((first?.line ?? 0) - line)).toBeLessThanOrEqual(1)
  })

  it('has no part that stands beside it, too', async () => {
    const dir = await folder({
      'skills/water.md': '---\nname: water\ndescription: d\n---\nSlowly.',
      'amodal/skills/water/SKILL.md': '---\nname: water\ndescription: d\n---\nFast.',
      'knowledge/a/soil.md': '# Soil\n\nLoam.',
      'amodal/knowledge/a/sand.md': '# Sand\n\nDry.',
    })
    const { issues, skills, knowledge } = await load(dir)
    expect(skills).toEqual([])
    expect(knowledge.map(({ name }) => name).sort()).toEqual(['a/sand', 'a/soil'])
    expect(issues).toMatchObject([
      {
        code: 'DUPLICATE_NAME',
        file: 'amodal/skills/water/SKILL.md',
        message: expect.stringContaining('skills/water.md') as string,
      },
    ])
  })

  it.each(['agents/default/AGENT.md', 'agents/default/agent.json', 'amodal/agents/main/AGENT.md'])(
    'has no second main agent: %s',
    async (second) => {
      const dir = await folder({ 'agents/main/AGENT.md': 'You keep the shop.', [second]: '{}' })
      const { code, message } = await refused(dir)
      expect(code).toBe('DUPLICATE_NAME')
      expect(message).toContain('this is the main agent, which stands in')
    },
  )
})
