import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { explainStart, startFolder } from '@amodal/presets'
import { loadBundle } from '@amodal/plugin-repo-files'
import {
  hooksOf,
  Secrets,
  type AgentBundle,
  type BundleIssue,
  type Json,
  type Running,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { agentFolder } from '../support/agent-folder.ts'

/**
 * Every example of the format's description, at the place in an agent's folder where it belongs,
 * and what is said of it. An example that is a part of a file is put into a whole one: `beside` has
 * the other fields, `around` the text about it.
 */
const EXAMPLES = join(import.meta.dirname, '../fixtures/spec')

const json = z.custom<Json>()
const Verdict = z.strictObject({
  place: z.string(),
  beside: z.record(z.string(), json).optional(),
  around: json.optional(),
  /** Other files: their content, or the example that it is. */
  files: z.record(z.string(), json).default({}),
  loads: z.boolean(),
  /** What the bundle has of it: names of tools, stores, skills, connections and the like. */
  has: z.array(z.string()).default([]),
  /** `severity code file:line message`, all of them. */
  issues: z.array(z.string()),
})

const Roles = z.object({ roles: json.default([]) })

const VARIABLES = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GROQ_API_KEY',
  'GOOGLE_API_KEY',
  'STRIPE_API_KEY',
  'DATABASE_URL',
  'ANALYTICS_DB_URL',
  'GITHUB_TOKEN',
  'INTERNAL_TOOLS_TOKEN',
  'MY_API_TOKEN',
  'JIRA_API_TOKEN',
  'SLACK_WEBHOOK_URL',
  'SLACK_WEBHOOK',
  'SLACK_WEBHOOK_API_CHANGES',
  'SLACK_WEBHOOK_INCIDENTS',
  'SLACK_WEBHOOK_ONCALL',
  'SLACK_WEBHOOK_REVENUE',
  'GITHUB_WEBHOOK_SECRET',
  'PAGERDUTY_WEBHOOK',
]

let running: Running
let place: Awaited<ReturnType<typeof agentFolder>>

beforeAll(async () => {
  place = await agentFolder({ 'amodal.json': '{ "name": "host" }' })
  const env = Object.fromEntries(VARIABLES.map((name) => [name, `value-of-${name}`]))
  const started = await startFolder({
    dir: place.dir,
    env,
    port: 0,
    inMemory: true,
    logLevel: 'none',
    without: ['repo-watch', 'connect-mcp', 'connect-rest'],
  })
  if (!started.ok) throw new Error(explainStart(started.error))
  running = started.value
})
afterAll(async () => {
  await running.close()
  await place.remove()
})

/** As a start reads a folder: with what every plugin makes of it. */
async function read(
  dir: string,
): Promise<{ readonly bundle?: AgentBundle; readonly issues: readonly BundleIssue[] }> {
  const generation = running.kernel.current()
  const loaded = await loadBundle(dir, { secrets: generation.scope.get(Secrets) })
  if (!loaded.ok) return { issues: loaded.error.issues }
  const { load, check } = hooksOf(generation).bundle
  const merged = await load.call(loaded.value, { where: dir, load: () => Promise.resolve(loaded) })
  if (!merged.ok) throw merged.error
  const issues = [...merged.value.issues]
  const checked = await check.call(merged.value, issues)
  if (!checked.ok) throw checked.error
  return { bundle: merged.value, issues }
}

const pages = await readdir(EXAMPLES, { withFileTypes: true })
const examples = (
  await Promise.all(
    pages
      .filter((page) => page.isDirectory())
      .map(async ({ name }) =>
        (await readdir(join(EXAMPLES, name)))
          .filter((file) => !file.endsWith('.verdict.json'))
          .map((file) => `${name}/${file}`),
      ),
  )
)
  .flat()
  .sort()
const others = z
  .record(z.string(), z.array(z.string()))
  .parse(JSON.parse(await readFile(join(EXAMPLES, 'others.json'), 'utf8')))

test('all 173 are here, or named with what they are instead of a file of an agent', () => {
  const named = [
    ...examples.map((file) => file.replace(/\/0?(\d+)\..*$/, '/$1')),
    ...Object.values(others).flat(),
  ]
  expect(new Set(named).size).toBe(named.length)
  expect(named).toHaveLength(173)
})

test.for(examples)('%s', async (example) => {
  const verdict = Verdict.parse(
    JSON.parse(await readFile(join(EXAMPLES, example.replace(/\..+$/, '.verdict.json')), 'utf8')),
  )
  const { dir, remove } = await agentFolder({})
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  if (!/^(amodal\.json|\.amodal\/)/.test(verdict.place))
    await put('amodal.json', '{ "name": "documented" }')
  for (const [path, content] of Object.entries(verdict.files))
    await put(
      path,
      typeof content === 'string'
        ? await readFile(join(EXAMPLES, content), 'utf8')
        : JSON.stringify(content),
    )
  await put(verdict.place, whole(await readFile(join(EXAMPLES, example), 'utf8'), verdict))
  const { bundle, issues } = await read(dir)
  await remove()
  expect({
    loads: bundle !== undefined,
    issues: issues.map(
      ({ severity, code, file, line, message }) =>
        `${severity} ${code} ${file ?? '-'}:${line ?? '-'} ${message}`,
    ),
  }).toEqual({ loads: verdict.loads, issues: verdict.issues })
  expect(JSON.stringify(bundle ?? {})).not.toContain('value-of-')
  expect(namesIn(bundle)).toEqual(expect.arrayContaining(verdict.has))
})

function whole(text: string, { beside, around }: z.output<typeof Verdict>): string {
  if (beside) return text.replace('{', `{ ${JSON.stringify(beside).slice(1, -1)},`)
  if (around === undefined) return text
  return typeof around === 'string'
    ? around.replace('<fence>', text)
    : JSON.stringify(around, null, 2).replace('"<fence>"', text.trim())
}

/** `store active-alerts`, `tool create_ticket` … */
function namesIn(bundle: AgentBundle | undefined): readonly string[] {
  if (!bundle) return []
  const named = (kind: string, list: Json | undefined): readonly string[] =>
    (Array.isArray(list) ? list : []).map(
      (one: unknown) => `${kind} ${z.object({ name: z.string() }).parse(one).name}`,
    )
  return [
    ...bundle.stores.map(({ name }) => `store ${name}`),
    ...bundle.skills.map(({ name }) => `skill ${name}`),
    ...bundle.knowledge.map(({ name }) => `knowledge ${name}`),
    ...Object.entries(bundle.manifest.models).map(
      ([tier, config]) => `model ${tier} ${config.provider}/${config.model}`,
    ),
    ...connectionsOf(bundle).map(({ name, protocol }) => `connection ${name} ${protocol}`),
    ...named('tool', bundle.parts['tools-custom']),
    ...named('agent', bundle.parts['subagents']),
    ...named('role', Roles.parse(bundle.parts['roles'] ?? {}).roles),
    ...bundle.files.map(({ path }) => `file ${path}`),
  ]
}
