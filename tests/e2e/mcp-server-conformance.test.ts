// The conformance suite of the protocol, against the agent as a server (plugins/wire-mcp): what
// its two frozen sets of requirements ask of servers. What is no part of this server stands, with
// its reason, in a file; whatever else fails is a failure, and so is what stands there and passes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { conformingServer } from './mcp-conformance-agent.ts'

const ROOT = join(import.meta.dirname, '../..')
const SUITE = join(ROOT, 'tests/node_modules/@modelcontextprotocol/conformance')
const NOT_APPLICABLE = join(ROOT, 'plugins/wire-mcp/test/conformance/not-applicable.json')
/** An extension that this server does not have. */
const TASKS = /^tasks-/

const Listed = z.record(z.string(), z.record(z.string(), z.string().min(20)))
const Checks = z.array(
  z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }),
)

interface Outcome {
  readonly failed: ReadonlyMap<string, string>
  readonly passed: number
}

test.each(['2025-11-25', '2026-07-28'])('MCP conformance of servers, %s', async (revision) => {
  const { [revision]: listed = {} } = Listed.parse(
    JSON.parse(await readFile(NOT_APPLICABLE, 'utf8')),
  )
  const url = await conformingServer()
  const results = await mkdtemp(join(tmpdir(), 'amodal-mcp-conformance-'))
  onTestFinished(() => rm(results, { recursive: true, force: true }))
  const suite = spawn(
    process.execPath,
    [
      join(SUITE, 'dist/index.js'),
      ...['server', '--url', `${url}/mcp`, '--requirements', revision, '-o', results],
    ],
    { stdio: 'ignore' },
  )
  await once(suite, 'close')
  const { failed, passed } = await outcomeOf(results)
  const unexpected = [...failed].filter(([check]) => !(check in listed))
  expect(unexpected).toEqual([])
  expect(Object.keys(listed).filter((check) => !failed.has(check))).toEqual([])
  expect(passed).toBeGreaterThan(40)
})

/** Checks that failed, as `scenario:check`, with what the suite says. */
async function outcomeOf(results: string): Promise<Outcome> {
  const failed = new Map<string, string>()
  let passed = 0
  for (const folder of await readdir(results)) {
    const [, scenario = folder] = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(folder) ?? []
    if (TASKS.test(scenario)) continue
    const checks = Checks.parse(
      JSON.parse(await readFile(join(results, folder, 'checks.json'), 'utf8')),
    )
    for (const { id, status, errorMessage = '' } of checks) {
      if (status === 'SUCCESS') passed++
      if (status === 'FAILURE' || status === 'WARNING')
        failed.set(`${scenario}:${id}`, errorMessage)
    }
  }
  return { failed, passed }
}
