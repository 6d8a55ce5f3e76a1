import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { REPORT_FILE } from './test-report.mjs'

/**
 * @typedef {import('./test-report.mjs').TestReport} TestReport
 *
 * @typedef {object} Verdict
 * @property {number} code 0 when the stage is green
 * @property {string} output shown when it is not
 * @property {string} [stoppedBy]
 * @property {TestReport} [report] of a stage that runs tests
 *
 * @typedef {(
 *   commandLine: string[],
 *   limitMs: number,
 *   env?: NodeJS.ProcessEnv,
 * ) => Promise<Verdict>} Run
 */

const REPORTER = fileURLToPath(new URL('test-report.mjs', import.meta.url))

/** @type {TestReport} */
const NO_REPORT = { passed: 0, failed: 0, skipped: 0, flaky: [], files: [] }

/**
 * Run vitest. Green means more than its exit code: a test was executed, and none failed.
 *
 * @param {Run} run
 * @param {readonly string[]} args
 * @param {number} limitMs
 * @param {NodeJS.ProcessEnv} [env] added to that of the run
 * @returns {Promise<Verdict>}
 */
export async function runVitest(run, args, limitMs, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'amodal-test-'))
  const file = join(folder, 'report.json')
  try {
    const reporters = ['--reporter', 'default', '--reporter', REPORTER]
    const verdict = await run(
      ['node_modules/vitest/vitest.mjs', 'run', ...args, ...reporters],
      limitMs,
      { ...env, [REPORT_FILE]: file },
    )
    /** @type {TestReport} */
    const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : NO_REPORT
    const isEmpty = report.passed + report.failed === 0
    return {
      ...verdict,
      output: isEmpty ? `${verdict.output}\nNo test was executed.` : verdict.output,
      code: verdict.code || (report.failed > 0 || isEmpty ? 1 : 0),
      report,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
