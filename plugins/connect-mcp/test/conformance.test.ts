// The conformance suite of the protocol, against this plugin inside of a whole agent: every
// scenario for clients that its two frozen sets of requirements score, and those of extensions that
// the plugin has.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { ROOT } from './support/agent.ts'

const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance')
const CLIENT = `${JSON.stringify(process.execPath)} ${JSON.stringify(join(ROOT, 'test/conformance/client.ts'))}`
/** A scenario starts a server and an agent, on a machine that may be busy. */
const SCENARIO_MS = 120_000

const REVISIONS = ['2025-11-25', '2026-07-28'] as const

/** Of extensions, which no revision requires, but which this plugin has. */
const EXTENSIONS = ['auth/client-credentials-basic', 'auth/client-credentials-jwt'] as const

/** The other scenarios that the suite runs without scoring them, and why they do not apply. */
const NOT_APPLICABLE = {
  'auth/enterprise-managed-authorization':
    'an agent has no id token of a person at an identity provider that it could exchange',
  'auth/wif-jwt-bearer': 'there is no identity of a workload: a platform would have to give one',
  'auth/dpop': 'tokens are bearer tokens: a key that several instances share would bind to none',
  'auth/dpop-nonce': 'the same',
  'json-schema-2020-12-preservation':
    'models are shown schemas without `$schema`, which some providers refuse',
} as const

/**
 * The scenarios for clients that a revision requires: a list of the suite's own file, which is too
 * plain to need a parser.
 */
async function required(
  revision: string,
): Promise<{ readonly scored: readonly string[]; readonly unscored: readonly string[] }> {
  const file = await readFile(join(SUITE, `requirements/${revision}.yaml`), 'utf8')
  const [, list = ''] = /^client:\n((?: {2}- .+\n)+)/m.exec(file) ?? []
  return {
    scored: [...list.matchAll(/- (\S+)/g)].map(([, name = '']) => name),
    unscored: [...file.matchAll(/- scenario: (\S+)\n +leg: client/g)].map(([, name = '']) => name),
  }
}

const passed: string[] = []
afterAll(() => void process.stdout.write(`\nMCP conformance, passed: ${passed.join(', ')}\n`))

describe.each(REVISIONS)('MCP conformance %s', async (revision) => {
  const { scored, unscored } = await required(revision)

  it('leaves out nothing but what does not apply', () => {
    expect(scored.length).toBeGreaterThan(15)
    expect([...unscored].sort()).toEqual([...EXTENSIONS, ...Object.keys(NOT_APPLICABLE)].sort())
  })

  it.each([...scored, ...EXTENSIONS])(
    '%s',
    async (scenario) => {
      const results = await mkdtemp(join(tmpdir(), 'amodal-mcp-conformance-'))
      onTestFinished(() => rm(results, { recursive: true, force: true }))
      const suite = spawn(
        process.execPath,
        [
          join(SUITE, 'dist/index.js'),
          'client',
          '--command',
          CLIENT,
          '--scenario',
          scenario,
          '--spec-version',
          revision,
          '--timeout',
          String(SCENARIO_MS / 2),
          // those of extensions belong to no revision
          ...(scored.includes(scenario) ? [] : ['--force']),
          '-o',
          results,
        ],
        { stdio: ['ignore', 'pipe', 'pipe'] },
      )
      const said: string[] = []
      for (const stream of [suite.stdout, suite.stderr])
        stream.on('data', (chunk: Buffer) => said.push(chunk.toString('utf8')))
      const [code] = (await once(suite, 'close')) as [number | null]
      expect(code, said.join('')).toBe(0)
      // a scenario that checks nothing passes as well
      expect(said.join('')).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/)
      passed.push(`${revision} ${scenario}`)
    },
    SCENARIO_MS,
  )
})
