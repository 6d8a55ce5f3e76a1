// The conformance suite of the protocol, against this plugin inside of a whole agent: every
// scenario for clients that its two frozen sets of requirements score, but those about OAuth, which
// the plugin does not do yet.
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

const NOT_COVERED_YET = {
  '2025-11-25': [
    'auth/metadata-default',
    'auth/metadata-var1',
    'auth/metadata-var2',
    'auth/metadata-var3',
    'auth/basic-cimd',
    'auth/scope-from-www-authenticate',
    'auth/scope-from-scopes-supported',
    'auth/scope-omitted-when-undefined',
    'auth/scope-step-up',
    'auth/scope-retry-limit',
    'auth/token-endpoint-auth-basic',
    'auth/token-endpoint-auth-post',
    'auth/token-endpoint-auth-none',
    'auth/pre-registration',
  ],
  '2026-07-28': [
    'auth/metadata-default',
    'auth/metadata-var1',
    'auth/metadata-var2',
    'auth/metadata-var3',
    'auth/basic-cimd',
    'auth/scope-from-www-authenticate',
    'auth/scope-from-scopes-supported',
    'auth/scope-omitted-when-undefined',
    'auth/scope-step-up',
    'auth/scope-retry-limit',
    'auth/token-endpoint-auth-basic',
    'auth/token-endpoint-auth-post',
    'auth/token-endpoint-auth-none',
    'auth/pre-registration',
    'auth/resource-mismatch',
    'auth/offline-access-scope',
    'auth/offline-access-not-supported',
    'auth/authorization-server-migration',
    'auth/iss-supported',
    'auth/iss-not-advertised',
    'auth/iss-supported-missing',
    'auth/iss-wrong-issuer',
    'auth/iss-unexpected',
    'auth/iss-normalized',
    'auth/metadata-issuer-mismatch',
  ],
} as const

/**
 * The scenarios for clients that a revision requires: a list of the suite's own file, which is too
 * plain to need a parser.
 */
async function required(revision: string): Promise<readonly string[]> {
  const file = await readFile(join(SUITE, `requirements/${revision}.yaml`), 'utf8')
  const [, list = ''] = /^client:\n((?: {2}- .+\n)+)/m.exec(file) ?? []
  return [...list.matchAll(/- (\S+)/g)].map(([, name = '']) => name)
}

const passed: string[] = []
afterAll(
  () =>
    void process.stdout.write(
      `\nMCP conformance, passed: ${passed.join(', ')}\nNot covered yet: ${Object.entries(
        NOT_COVERED_YET,
      )
        .map(([revision, names]) => `${revision}: ${names.join(' ')}`)
        .join('; ')}\n`,
    ),
)

describe.each(Object.keys(NOT_COVERED_YET) as readonly (keyof typeof NOT_COVERED_YET)[])(
  'MCP conformance %s',
  async (revision) => {
    const scenarios = await required(revision)

    it('leaves out the scenarios about OAuth, and no other', () => {
      expect(scenarios.length).toBeGreaterThan(15)
      expect(scenarios.filter((name) => name.startsWith('auth/'))).toEqual(
        NOT_COVERED_YET[revision],
      )
    })

    it.each(scenarios.filter((name) => !name.startsWith('auth/')))(
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
  },
)
