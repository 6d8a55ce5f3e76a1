import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { amodal, folder } from './support.ts'

const FILES: Readonly<Record<string, string>> = {
  'amodal.json': '{\n  // with a comment\n  "name": "marked",\n  "userContext": "env:WHO"\n}\n',
  '.env': 'WHO=Ada\nOTHER="x"\n',
  'AGENTS.md': '# Marked\n\nBe brief.\n',
  'skills/triage.md': '---\nname: Triage\ndescription: Sorts what comes in\n---\n\nSort it.\n',
  'knowledge/opening.md': '# Opening hours\n\nFrom 9 to 5.\n',
  'stores/notes.json':
    '{ "entity": { "name": "Note", "key": "{id}", "schema": { "id": { "type": "string" } } } }',
  'roles/reader.json': '{ "tools": ["request"] }',
  'connections/crm/spec.json': '{ "baseUrl": "http://127.0.0.1:9" }',
  'connections/crm/access.json': '{ "endpoints": { "GET /deals": "allow" } }',
  'connections/crm/openapi.yaml':
    'openapi: 3.0.0\ninfo:\n  title: CRM\n  version: "1"\npaths:\n  /deals:\n    get:\n      responses: {}\n',
  'connections/crm/surface.md': '# CRM\n\n- GET /deals\n',
  'evals/hours.yaml': 'query: When is it open?\nassertions:\n  - contains: "9"\n',
  'evals/more.md': '# Eval: More\n\n## Query\n\nWhen?\n\n## Assertions\n\n- Should say 9\n',
  'automations/daily.json': '{ "title": "Daily", "schedule": "0 9 * * *", "prompt": "Look." }',
}

const asBytes = {
  'a byte order mark': (text: string) => Buffer.from(`\uFEFF${text}`),
  'CRLF line ends': (text: string) => Buffer.from(text.replaceAll('\n', '\r\n')),
  'a mark and CRLF': (text: string) => Buffer.from(`\uFEFF${text.replaceAll('\n', '\r\n')}`),
}

const write = async (dir: string, encode: (text: string) => Buffer): Promise<void> => {
  for (const [path, text] of Object.entries(FILES)) await writeFile(join(dir, path), encode(text))
}

const validated = async (dir: string): Promise<string> =>
  (await amodal(['validate', '--skip-test', '--dir', dir])).out

describe('every file of an agent', () => {
  test.each(Object.entries(asBytes))('with %s is read as without', async (_name, encode) => {
    await using here = await folder(FILES)
    const plain = await validated(here.dir)
    await write(here.dir, encode)
    expect(await validated(here.dir)).toBe(plain)
    // The same by the server, which reads the wiring first.
    const prompt = await amodal(['inspect', '--prompt', '--dir', here.dir])
    expect(prompt).toMatchObject({ code: 0 })
    for (const part of ['Be brief.', 'Sort it.']) expect(prompt.out).toContain(part)
    expect(prompt.out).not.toContain('\uFEFF')
    expect(prompt.out).not.toContain('\r')
  })

  test.each(
    Object.keys(FILES).filter((path) =>
      /^(?:amodal|skills|stores|roles|evals)|spec\.json|AGENTS/.test(path),
    ),
  )('%s in UTF-16 is an error that says so', async (path) => {
    await using here = await folder(FILES)
    await writeFile(join(here.dir, path), Buffer.from(`\uFEFF${FILES[path] ?? ''}`, 'utf16le'))
    expect(await validated(here.dir)).toContain(
      `${path}  the file is UTF-16, and UTF-8 is needed — save it as UTF-8`,
    )
  })

  test('a start on a manifest in UTF-16 says so, too', async () => {
    await using here = await folder(FILES)
    for (const bytes of [
      Buffer.from(`\uFEFF${FILES['amodal.json'] ?? ''}`, 'utf16le'),
      Buffer.from(FILES['amodal.json'] ?? '', 'utf16le'),
    ]) {
      await writeFile(join(here.dir, 'amodal.json'), bytes)
      expect((await amodal(['dev', '--port', '0', '--dir', here.dir])).err).toContain(
        'amodal.json: the file is UTF-16, and UTF-8 is needed; save it as UTF-8',
      )
    }
  })
})

test('a skill whose file name is decomposed, as macOS writes it, has its composed name', async () => {
  const [decomposed, composed] = ['Ko\u0308ln', 'K\u00F6ln']
  await using here = await folder({
    'amodal.json': { name: 'towns' },
    [`skills/${decomposed}.md`]: '---\ndescription: The town\n---\nIt lies on the Rhine.\n',
  })
  const { out } = await amodal(['inspect', '--prompt', '--dir', here.dir])
  expect(out).toContain(composed)
  expect(out).not.toContain(decomposed)
})
