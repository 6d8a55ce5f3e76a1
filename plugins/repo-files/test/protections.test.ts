import { Commands } from '@amodal/sdk'
import { describe, expect, it } from 'vitest'
import { folder, kernelFor, load, refused, terminal, told } from './support.ts'

// Whoever wrote it counts on it: it is refused, and nobody is told to delete it or to rename it to
// something else.
describe('a protection that nothing reads', () => {
  const issuesOf = async (files: Readonly<Record<string, string | object>>) =>
    told((await load(await folder(files))).issues)

  it.each([
    ['guards/dry.ts', 'error guards:- this folder is not read'],
    ['permissions.json', 'error permissions.json:- this file is not read'],
    ['policy.yaml', 'error policy.yaml:- this file is not read'],
  ])('in the root: %s', async (path, message) => {
    expect(await issuesOf({ [path]: '{}' })).toEqual([
      `${message} — say it where it is kept: what may be called in access.json of the connection, who may use what in roles/, anything else in a plugin that taps \`tool.guard\``,
    ])
  })

  it('in a folder whose name is mistyped', async () => {
    expect(await issuesOf({ 'rolse/clerk.json': {} })).toEqual([
      'error rolse:- this folder is not read; did you mean `roles`? — rename it to `roles`',
    ])
  })

  it('in what belongs to somebody else stays theirs', async () => {
    expect(
      await issuesOf({
        'SECURITY.md': 'x',
        'src/hooks/a.ts': 'x',
        'security/x.md': 'x',
        'POLICY.md': 'x',
      }),
    ).toEqual([])
  })

  it.each([
    [
      'knowledge/k.md',
      '---\ncategory: x\nallowedRoles: boss\n---\nText',
      'error knowledge/k.md:3 `allowedRoles` is not read, and protects nothing',
      (bundle: { readonly knowledge: readonly unknown[] }) => bundle.knowledge,
    ],
    [
      'skills/s/SKILL.md',
      '---\nname: s\npermissions: none\n---\n# s\n\nx\n\n## y\nz',
      'error skills/s/SKILL.md:3 `permissions` is not a known field',
      (bundle: { readonly skills: readonly unknown[] }) => bundle.skills,
    ],
    [
      'stores/s.json',
      '{\n"access": "read",\n"entity": { "key": "{id}", "schema": { "id": { "type": "string" } } }\n}',
      'error stores/s.json:2 `access` is not a known field',
      (bundle: { readonly stores: readonly unknown[] }) => bundle.stores,
    ],
  ])('leaves its part out: %s', async (path, text, message, partOf) => {
    const bundle = await load(await folder({ [path]: text }))
    expect(told(bundle.issues)).toEqual([expect.stringContaining(message)])
    expect(told(bundle.issues)[0]).not.toMatch(/ — .*(?:remove|delete)/)
    expect(partOf(bundle)).toEqual([])
  })

  it.each([
    [
      'amodal.json',
      '{\n"name": "a",\n"permissions": {}\n}',
      'amodal.json:3  `permissions` is not a known field — say it where it is kept',
    ],
    [
      'amodal.json',
      '{\n"name": "a",\n"security": { "denyTools": [] }\n}',
      'amodal.json:3  `security.denyTools` is not a known field — say it',
    ],
    [
      'amodal.json',
      '{\n"name": "a",\n"securty": {}\n}',
      'amodal.json:3  `securty` is not a known field; did you mean `security`? — rename it to `security`',
    ],
    [
      'agents/main/AGENT.md',
      '---\nname: a\ndisallowedTools: [request]\n---\nText',
      'agents/main/AGENT.md:3  `disallowedTools` is not read, and protects nothing',
    ],
  ])('of the whole agent stops the start: %s %s', async (path, text, line) => {
    const dir = await folder({ [path]: text })
    expect((await refused(dir)).message).toContain(line)
    const { context, text: printed } = terminal(dir)
    expect(
      await (await kernelFor(dir)).current().registry(Commands).get('validate')?.run(context),
    ).toBe(1)
    expect(printed()).toContain(line)
  })
})
