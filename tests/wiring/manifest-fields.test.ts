import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadBundle, MANIFEST_FIELDS } from '@amodal/plugin-repo-files'
import { ok, unwrap, type AgentBundle, type Secrets } from '@amodal/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

// What is accepted and read by nobody is a promise that nobody keeps: a field of amodal.json
// changes what was read, is looked at by a plugin, or is told as one of a later part.

/** A value of each field, with what it needs beside it. */
const SAMPLES: Readonly<Record<string, object>> = {
  version: { version: '1.2.3' },
  description: { description: 'd' },
  userContext: { userContext: 'u' },
  models: { models: { main: { provider: 'p', model: 'm' } } },
  limits: { limits: { maxTurns: 3 } },
  retries: { retries: 1 },
  backoffMs: { backoffMs: 5 },
  tools: { tools: { private: ['x'] } },
  provider: { provider: 'p', model: 'm' },
  model: { provider: 'p', model: 'n' },
  providers: { provider: 'failover', providers: ['a'] },
  baseUrl: { provider: 'p', model: 'm', baseUrl: 'https://m.example' },
  apiKey: { provider: 'p', model: 'm', apiKey: 'env:HOME' },
  credentials: { provider: 'p', model: 'm', credentials: { api_key: 'env:HOME' } },
  maxTurns: { maxTurns: 3 },
  maxToolRounds: { maxToolRounds: 3 },
  timeoutSeconds: { timeoutSeconds: 3 },
  maxToolCalls: { maxToolCalls: 3 },
  maxSessionToolCalls: { maxSessionToolCalls: 3 },
  maxRunTokens: { maxRunTokens: 3 },
  maxSessionTokens: { maxSessionTokens: 3 },
  maxRunCost: { maxRunCost: 3 },
  maxSessionCost: { maxSessionCost: 3 },
  onMaxTurns: { onMaxTurns: 'ask' },
  onLimit: { onLimit: 'ask' },
  maxHistory: { maxHistory: 3 },
  maxTokens: { maxTokens: 3 },
  temperature: { temperature: 0.5 },
  stalenessTimeout: { stalenessTimeout: 3 },
  tokenBudget: { tokenBudget: 3 },
  proactive: { proactive: { webhook: 'x' } },
  adminAgent: { adminAgent: 'x' },
  trace: { trace: {} },
}
/** Fields that tell editors and readers something, and nobody else. */
const FOR_PEOPLE = ['$schema', 'name']
const snake = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const inSnakeCase = (field: string): readonly object[] =>
  Object.entries(SAMPLES).flatMap(([name, sample]) =>
    snake(name) === field ? [{ [field]: Object.values(sample)[0] as unknown }] : [],
  )
const sampleOf = (field: string): object | undefined => SAMPLES[field] ?? inSnakeCase(field)[0]
/** One is not enough. */
const PAIR = ['provider', 'model']

const secrets: Secrets = {
  get: () => 'x',
  resolve: (text) => ok(text),
  load: () => [],
  values: () => [],
  protect: () => () => undefined,
  mask: (text) => text,
}
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'manifest-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function load(fields: object): Promise<AgentBundle> {
  await writeFile(join(dir, 'amodal.json'), JSON.stringify({ name: 'a', ...fields }))
  return unwrap(await loadBundle(dir, { secrets }), ({ message }) => message)
}
const readIn = ({ manifest }: AgentBundle): string =>
  JSON.stringify({ ...manifest, raw: undefined })

/** What reads the manifest as it was written. */
const root = fileURLToPath(new URL('../../', import.meta.url))
const packages = readdirSync(join(root, 'plugins')).map((name) => `plugins/${name}/src`)
// not the folders of the packages: what they depend on is linked there
const sources = ['presets/src', ...packages]
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(root, folder, path), 'utf8')),
  )
const isReadRaw = (field: string): boolean => {
  const read = new RegExp(
    `(?:\\braw|manifest\\.value)(?:\\?\\.)?(?:, )?\\['${field}'|\\{ ${field} \\} = [^\\n]*\\braw\\b`,
  )
  return sources.some((text) => read.test(text))
}

describe('a field of amodal.json', () => {
  test.each(MANIFEST_FIELDS.filter((field) => !FOR_PEOPLE.includes(field)))(
    'that is accepted is read by somebody: %s',
    async (field) => {
      const wiring = await readFile(join(root, 'presets/src/config/wiring.ts'), 'utf8')
      if (
        isReadRaw(field) ||
        new RegExp(`^  ${field}: `, 'm').test(wiring.slice(wiring.indexOf('export const Wiring ')))
      )
        return
      if (field === 'strict')
        return expect(load({ strict: true })).rejects.toThrow('needs `limits.max_tool_rounds`')
      const sample = sampleOf(field)
      if (!sample)
        return expect.fail(
          `nothing reads \`${field}\` of amodal.json; if repo-files does, give it a sample here`,
        )
      const { [field]: _, ...without } = sample as Record<string, unknown>
      const given = await load(sample)
      const told = given.issues.some(({ message }) => message.startsWith(`\`${field}\` belongs to`))
      expect(
        told || readIn(given) !== readIn(await load(PAIR.includes(field) ? {} : without)),
        `\`${field}\` of amodal.json is accepted, and nothing changes with it`,
      ).toBe(true)
    },
  )
})
