import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

/**
 * @typedef {import('vitest/node').TestModule} TestModule
 * @typedef {import('vitest/node').TestCase} TestCase
 *
 * @typedef {object} Flake a test that passed on its second attempt
 * @property {string} file
 * @property {string} name
 * @property {string} failure message of the first attempt
 *
 * @typedef {object} TestReport
 * @property {number} passed flaky tests included
 * @property {number} failed tests, files that do not load, and errors outside of tests
 * @property {number} skipped
 * @property {readonly Flake[]} flaky
 * @property {readonly { file: string, ms: number }[]} files slowest first; `ms` is the time of the
 *   file with its import and hooks
 */

/** The file that the reporter writes to. */
export const REPORT_FILE = 'AMODAL_TEST_REPORT'

/**
 * A reporter of vitest that writes one {@link TestReport} as JSON when the run ends, to the file
 * that the environment names.
 */
export default class TestReporter {
  /**
   * @param {ReadonlyArray<TestModule>} modules
   * @param {ReadonlyArray<unknown>} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const inState = (/** @type {string} */ state) =>
      tests.filter((test) => test.result().state === state).length
    const broken = modules.filter(
      (module) => module.state() === 'failed' && inStateOf(module, 'failed') === 0,
    ).length
    /** @type {TestReport} */
    const report = {
      passed: inState('passed'),
      failed: inState('failed') + broken + unhandledErrors.length,
      skipped: inState('skipped'),
      flaky: tests.filter((test) => test.diagnostic()?.flaky).map((test) => flakeOf(test)),
      files: modules
        .map((module) => ({ file: pathOf(module), ms: Math.round(timeOf(module)) }))
        .sort((one, other) => other.ms - one.ms),
    }
    const file = process.env[REPORT_FILE]
    if (file !== undefined) writeFileSync(file, JSON.stringify(report))
  }
}

/** @param {TestModule} module */
const pathOf = (module) => relative(process.cwd(), module.moduleId)

/** @param {TestCase} test @returns {Flake} */
const flakeOf = (test) => ({
  file: pathOf(test.module),
  name: test.fullName,
  failure: test.result().errors?.[0]?.message ?? 'no message',
})

/** @param {TestModule} module @param {string} state */
const inStateOf = (module, state) =>
  [...module.children.allTests()].filter((test) => test.result().state === state).length

/** @param {TestModule} module */
function timeOf(module) {
  const { collectDuration, duration, setupDuration } = module.diagnostic()
  return collectDuration + duration + setupDuration
}
