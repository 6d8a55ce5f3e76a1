import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { explainStart, startFolder } from '@amodal/presets'
import { FileSchemas, schemaText } from '@amodal/plugin-repo-files/tokens'
import type { Running } from '@amodal/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getLanguageService, TextDocument, type LanguageService } from 'vscode-json-languageservice'
import { parse } from 'yaml'
import { z } from 'zod'
import { agentFolder } from '../support/agent-folder.ts'

const EXAMPLES = join(import.meta.dirname, '../fixtures/spec')
const Fields = z.record(z.string(), z.json())
const Verdict = z.object({
  place: z.string(),
  around: z.json().optional(),
  beside: Fields.optional(),
})

let running: Running
let place: Awaited<ReturnType<typeof agentFolder>>
let editor: LanguageService

beforeAll(async () => {
  place = await agentFolder({ 'amodal.json': '{ "name": "host" }' })
  const started = await startFolder({
    dir: place.dir,
    env: {},
    port: 0,
    inMemory: true,
    logLevel: 'none',
    without: ['repo-watch', 'connect-mcp'],
  })
  if (!started.ok) throw new Error(explainStart(started.error))
  running = started.value
  editor = getLanguageService({})
  const schemas = [...running.kernel.current().registry(FileSchemas)]
  editor.configure({
    validate: true,
    schemas: schemas.map(([name, kind]) => ({
      uri: `file:///${name}.schema.json`,
      fileMatch: kind.files.map((glob) => glob.replace(/^(!?)/, '$1/')),
      schema: Fields.parse(JSON.parse(schemaText(name, kind))),
    })),
  })
})
afterAll(async () => {
  await running.close()
  await place.remove()
})

const textOf = (message: string | { readonly value: string }): string =>
  typeof message === 'string' ? message : message.value

/** What the editor marks in a file, as `line message`. */
async function marks(path: string, text: string): Promise<readonly string[]> {
  const document = TextDocument.create(`file:///agent/${path}`, 'json', 1, text)
  const parsed = editor.parseJSONDocument(document)
  const found = await editor.doValidation(document, parsed, {
    comments: 'ignore',
    trailingCommas: 'ignore',
  })
  return found.map(({ message, range: { start } }) => `${start.line + 1} ${textOf(message)}`)
}

const names = await readdir(EXAMPLES, { recursive: true })
const examples = names.filter((name) => name.endsWith('.json') && names.includes(verdictOf(name)))

function verdictOf(name: string): string {
  return name.replace(/\.json$/, '.verdict.json')
}

test.for(examples)('the editor accepts %s', async (name) => {
  const verdict = Verdict.parse(JSON.parse(await readFile(join(EXAMPLES, verdictOf(name)), 'utf8')))
  const { place: path, beside, around } = verdict
  if (around !== undefined) return
  const example = await readFile(join(EXAMPLES, name), 'utf8')
  // an example that is a part of a file stands in a whole one
  const text = beside
    ? JSON.stringify({ ...beside, ...Fields.parse(JSON.parse(example)) })
    : example
  expect(await marks(path, text)).toEqual([])
})

test.each([
  ['amodal.json', ['{', '"name": "a",', '"modles": {}', '}'], 3, /modles/],
  ['amodal.json', ['{', '"name": "a",', '"models": { "main": { "provider": "openai" } }', '}'], 3],
  ['amodal.json', ['{', '"name": "a",', '"limits": {', '"maxTurns": 0', '} }'], 4],
  ['amodal.json', ['{ "name": "a",', '"preset": "prod" }'], 2, /dev/],
  [
    'stores/a.json',
    ['{ "entity": { "key": "{id}",', '"schema": {', '"id": { "type": "text" }', '} } }'],
    3,
  ],
  ['stores/a.json', ['{ "entity": {', '"schema": {} } }'], 1, /key/],
  [
    'connections/a/spec.json',
    ['{ "baseUrl": "https://a.example",', '"baseURL": "x" }'],
    2,
    /baseURL/,
  ],
  [
    'connections/a/spec.json',
    ['{ "baseUrl": "https://a.example",', '"auth": { "type": "bearer",', '"tokn": "env:T" } }'],
    3,
  ],
  ['connections/a/spec.json', ['{ "protocol": "mcp",', '"transport": "pipe" }'], 2, /stdio/],
  ['connections/a/access.json', ['{ "endpoints": {', '"GET /deals": "sometimes"', '} }'], 2],
  ['connections/a/access.json', ['{ "endpoints": {', '"/deals": "allow"', '} }'], 2],
  [
    'connections/a/access.json',
    ['{ "fieldRestrictions": [', '{ "entity": "Deal",', '"policy": "mask",', '"field": "x" } ] }'],
    3,
    /never_retrieve/,
  ],
  ['automations/a.json', ['{ "prompt": "x",', '"schedul": "0 8 * * *" }'], 2, /schedul/],
  ['automations/a.json', ['{ "prompt": "x",', '"overlap": "wait" }'], 2, /skip/],
  ['tools/a/tool.json', ['{', '"description": "x",', '"confirm": "maybe" }'], 3],
  ['evals/a.yaml', ['{ "cases": [ {', '"inpt": "x"', '} ] }'], 2, /inpt/],
  [
    'evals/a.yaml',
    ['{ "cases": [ { "input": "x",', '"assert": [', '{ "contians": "x" }', '] } ] }'],
    3,
  ],
  ['amodal.json', ['{ "name": "a",', '"limits": { "maxTurns": "many" } }'], 2, /integer/],
  [
    'amodal.json',
    [
      '{ "name": "a", "models": { "main": { "provider": "openai", "model": "m",',
      '"apikey": 1 } } }',
    ],
    2,
    /apikey/,
  ],
  ['amodal.json', ['{ "version": "1" }'], 1, /name/],
  [
    'stores/a.json',
    ['{ "entity": { "key": "{id}", "schema": {', '"s": { "type": "enum" }', '} } }'],
    2,
    /values/,
  ],
  [
    'stores/a.json',
    ['{ "entity": { "key": "{id}", "schema": {', '"s": { "type": "ref" }', '} } }'],
    2,
    /store/,
  ],
  ['stores/a.json', ['{ "entity": { "key": "{id}", "schema": {} },', '"ttl": "soon" }'], 2],
  [
    'connections/a/spec.json',
    ['{ "baseUrl": "https://a.example",', '"auth": { "type": "magic" } }'],
    2,
    /bearer/,
  ],
  [
    'connections/a/spec.json',
    ['{ "baseUrl": "https://a.example",', '"format": "soap" }'],
    2,
    /rest/,
  ],
  ['connections/a/access.json', ['{ "endpoints": {},', '"endpoint": {} }'], 2, /endpoint/],
  ['automations/a.json', ['{ "prompt": "x",', '"trigger": "hook" }'], 2, /webhook/],
  ['automations/a.json', ['{ "schedule": "0 8 * * *" }'], 1, /prompt/],
  ['tools/a/tool.json', ['{ "description": "x",', '"parameters": [] }'], 2, /object/],
  ['evals/a.yaml', ['{ "cases": [ { "input": "x",', '"expected_tools": "f" } ] }'], 2, /array/],
  ['evals/a.yaml', ['{ "cases": [ { "input": "x",', '"rubric": [3] } ] }'], 2, /string/],
] as const)('the editor marks a mistake in %s: %j', async (path, lines, line, message = /./) => {
  const found = await marks(path, lines.join('\n'))
  expect(found.map((mark) => Number(mark.split(' ')[0]))).toContain(line)
  expect(found.join('\n')).toMatch(message)
})

test('the editor accepts the cases of an example', async () => {
  const evals = join(import.meta.dirname, '../../examples/graded-agent/agent/evals')
  for (const file of ['tickets.yaml', 'closing.yaml', 'invoice-question.yaml'])
    expect(
      await marks(
        `evals/${file}`,
        JSON.stringify(parse(await readFile(join(evals, file), 'utf8'))),
      ),
    ).toEqual([])
})
