import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { amodal, folder } from './support.ts'

describe('amodal schemas', () => {
  const agent = { 'amodal.json': { name: 'tiny', userContext: 'You are tiny.' } }

  test('writes them, keeps other settings with their comments, and checks them', async () => {
    await using here = await folder({
      ...agent,
      '.vscode/settings.json':
        '{\n  // as we like it\n  "editor.tabSize": 3,\n  "json.schemas": [{ "fileMatch": ["x.json"], "url": "./x.schema.json" }],\n}\n',
    })
    const schemas = (...argv: readonly string[]) => amodal(['schemas', ...argv, '--dir', here.dir])
    expect(await schemas('--check')).toMatchObject({ code: 1 })
    expect(await schemas()).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('✓ .vscode/amodal/store.schema.json'),
    })
    const settings = await readFile(join(here.dir, '.vscode/settings.json'), 'utf8')
    expect(settings).toContain('// as we like it')
    expect(settings).toContain('./x.schema.json')
    expect(settings).toContain('./.vscode/amodal/manifest.schema.json')
    expect(await schemas('--check')).toMatchObject({ code: 0, err: '' })
    expect(await schemas()).toMatchObject({ code: 0, out: 'The schemas are current.\n' })
    expect(await readFile(join(here.dir, '.vscode/settings.json'), 'utf8')).toBe(settings)
  })

  test('changes nothing where the settings are broken', async () => {
    await using here = await folder({ ...agent, '.vscode/settings.json': '{ "a": ' })
    expect(await amodal(['schemas', '--dir', here.dir])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/settings\.json.*nothing was written/),
    })
  })

  test('come with a new agent, unless it is created without them', async () => {
    await using here = await folder({})
    const created = await amodal(['init', 'shop', '--dir', here.dir])
    expect(created).toMatchObject({
      code: 0,
      out: expect.stringContaining('.vscode/settings.json'),
    })
    const check = (name: string) => amodal(['schemas', '--check', '--dir', join(here.dir, name)])
    expect(await check('shop')).toMatchObject({ code: 0 })
    const bare = await amodal(['init', 'bare', '--without', 'vscode', '--dir', here.dir])
    expect(bare).toMatchObject({ code: 0, out: expect.not.stringContaining('.vscode') })
    expect(await check('bare')).toMatchObject({ code: 1 })
    expect(await amodal(['init', 'other', '--without', 'x', '--dir', here.dir])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no "x" to begin with'),
    })
  })

  test('are those that the package publishes', async () => {
    await using here = await folder(agent)
    expect(await amodal(['schemas', '--dir', here.dir])).toMatchObject({ code: 0 })
    const textsIn = async (dir: string) =>
      Promise.all(
        (await readdir(dir))
          .toSorted()
          .map(async (name) => [name, await readFile(join(dir, name), 'utf8')]),
      )
    const published = await textsIn(join(import.meta.dirname, '../../cli/schemas'))
    expect(published.length).toBeGreaterThan(6)
    expect(await textsIn(join(here.dir, '.vscode/amodal'))).toEqual(published)
    for (const [name, text] of published)
      expect(JSON.parse(text ?? '')).toMatchObject({
        $id: `urn:amodal:schema:${name?.replace('.schema.json', '')}`,
      })
  })
})
