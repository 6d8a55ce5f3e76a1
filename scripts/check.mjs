import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childResult } from './lib/child.mjs'

/**
 * @typedef {import('./lib/tools.mjs').Tools} Tools
 *
 * @typedef {object} Verdict
 * @property {number} code 0 when the stage is green
 * @property {string} output shown when it is not
 * @property {string} [stoppedBy]
 * @property {number} [passed]
 * @property {number} [failed]
 * @property {number} [skipped]
 *
 * @typedef {(commandLine: string[], limitMs: number) => Promise<Verdict>} Run
 *
 * @typedef {(run: Run, root: string) => Promise<Verdict> | undefined} Stage
 */

const MINUTE = 60_000
/**
 * Of all stages together: more than they take on two cores that others use, and less than a job of
 * CI may take.
 */
const TOTAL_MS = 55 * MINUTE

/**
 * Long matrices are run whole and not as a sample of them: the tests read it from
 * `AMODAL_TEST_ALL`.
 */
const ALL = '--all'
/** How much longer a stage may take then. */
const ALL_FACTOR = 5

/** @type {Stage} */
const types = async (run) => {
  const product = await typecheck(run, 'tsconfig.json')
  return product.code === 0 ? typecheck(run, 'scripts/tsconfig.json') : product
}
/** @type {Stage} */
const lint = async (run) => {
  const [code, layout] = await Promise.all([
    run(['node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0'], 12 * MINUTE),
    run(
      ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
      12 * MINUTE,
    ),
  ])
  const fix = 'To lay it out: npm run format\n'
  return code.code !== 0 || layout.code === 0
    ? code
    : { ...layout, output: `${layout.output.trimEnd()}\n${fix}` }
}
/** @type {Stage} */
const unit = (run) => vitest(run, ['--project', 'unit'], 25 * MINUTE)
/** @type {Stage} */
const system = (run) => vitest(run, ['--project', 'system'], 25 * MINUTE)
/** @type {Stage} */
const chaos = (run) => vitest(run, ['--project', 'chaos'], 30 * MINUTE)
/** @type {Stage} */
const bench = (run, root) =>
  existsSync(join(root, 'tests/bench/run.ts'))
    ? run(['tests/bench/run.ts', '--smoke'], 12 * MINUTE)
    : undefined

/**
 * Every check of the project. What is quick to fail comes first; those of a row run at the same
 * time: the tests of chaos wait for leases half of their time, and the linter takes one core.
 *
 * @type {readonly Record<string, Stage>[]}
 */
const gateRows = [{ types }, { unit }, { system }, { lint, chaos }]
/** The benchmark asserts how fast something is, so it is part of `--all` and never of the gate. */
const allRows = [...gateRows, { bench }]
/** @type {Record<string, Stage>} */
const stages = Object.assign({}, ...allRows)
export const stageNames = Object.keys(stages)

/**
 * `npm test`: the stages of the gate, stopping at the first that fails; or those that are named; or
 * the tests that match. With `--all` every stage runs, and long matrices run whole.
 *
 * @param {string} root
 * @param {Tools} tools
 * @param {readonly string[]} args names of stages, or else arguments of vitest such as paths and
 *   `-t name`
 * @returns {Promise<number>} exit code
 */
export async function check(root, tools, args) {
  const isWhole = args.includes(ALL)
  const factor = isWhole ? ALL_FACTOR : 1
  const env = isWhole ? { ...tools.env, AMODAL_TEST_ALL: '1' } : tools.env
  const end = Date.now() + factor * TOTAL_MS
  const capture = (/** @type {string[]} */ commandLine, /** @type {number} */ limitMs) =>
    childResult(tools.node, commandLine, {
      cwd: root,
      env,
      capture: true,
      deadlineMs: Math.max(1, Math.min(factor * limitMs, end - Date.now())),
    })
  const show = (/** @type {string[]} */ commandLine) =>
    childResult(tools.node, commandLine, { cwd: root, env })
  const named = args.filter((arg) => arg !== ALL)

  const total = { passed: 0, failed: 0 }
  let code = 0
  if (named.every((name) => Object.hasOwn(stages, name))) {
    const rows = isWhole ? allRows : gateRows
    for (const row of named.length === 0 ? rows.map(Object.keys) : named.map((name) => [name])) {
      const isAlone = row.length === 1
      // before they run, so that a slow or stuck one can be seen
      process.stdout.write(isAlone ? (row[0] ?? '').padEnd(WIDTH) : `${row.join(' and ')} …\n`)
      const codes = await Promise.all(
        row.map((name) => runStage(name, isAlone, capture, root, total)),
      )
      code = codes.find((one) => one !== 0) ?? 0
      if (code !== 0) break
    }
  } else {
    const verdict = await vitest(show, named, 0)
    add(total, verdict)
    code = verdict.code
  }
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`)
  return code
}

/** Characters of a stage's name in what is printed. */
const WIDTH = 7

/**
 * @param {string} name
 * @param {boolean} isAlone its name was printed
 * @param {Run} run
 * @param {string} root
 * @param {{ passed: number, failed: number }} total
 */
async function runStage(name, isAlone, run, root, total) {
  const begin = Date.now()
  const verdict = await stages[name]?.(run, root)
  const label = isAlone ? '' : name.padEnd(WIDTH)
  if (verdict === undefined) {
    process.stdout.write(`${label}nothing to run\n`)
    return 0
  }
  add(total, verdict)
  const seconds = `${((Date.now() - begin) / 1000).toFixed(1)} s`.padStart(8)
  process.stdout.write(
    `${label}${verdict.code === 0 ? 'ok    ' : 'FAILED'} ${seconds}${describe(verdict)}\n`,
  )
  const unfinished = verdict.stoppedBy !== undefined && verdict.stoppedBy !== 'deadline'
  if (verdict.code !== 0 && !unfinished) process.stdout.write(`${verdict.output.trimEnd()}\n`)
  return verdict.code
}

/** @param {Verdict} verdict */
function describe({ passed, failed = 0, skipped = 0, stoppedBy }) {
  const parts = []
  if (passed !== undefined) parts.push(`${passed + failed} tests`)
  if (skipped > 0) parts.push(`${skipped} skipped`)
  if (stoppedBy !== undefined)
    parts.push(stoppedBy === 'deadline' ? 'stopped: it took too long' : `stopped: ${stoppedBy}`)
  return parts.length === 0 ? '' : `  ${parts.join(', ')}`
}

/**
 * A stage that is red without a single failed test still counts as one.
 * @param {{ passed: number, failed: number }} total
 * @param {Verdict} verdict
 */
function add(total, { code, passed = 0, failed = 0 }) {
  total.passed += passed
  total.failed += code === 0 ? failed : Math.max(1, failed)
}

/** @param {Run} run @param {string} project */
const typecheck = (run, project) =>
  run(
    ['node_modules/typescript-native/bin/tsc', '-p', project, '--noEmit', '--pretty', 'false'],
    10 * MINUTE,
  )

/**
 * Green means more than vitest's exit code: something ran, and nothing failed.
 *
 * @param {Run} run @param {string[]} args @param {number} limitMs @returns {Promise<Verdict>}
 */
async function vitest(run, args, limitMs) {
  const folder = mkdtempSync(join(tmpdir(), 'amodal-test-'))
  const file = join(folder, 'results.json')
  try {
    const reporters = ['--reporter', 'default', '--reporter', 'json', `--outputFile.json=${file}`]
    const verdict = await run(
      ['node_modules/vitest/vitest.mjs', 'run', ...args, ...reporters],
      limitMs,
    )
    const {
      numPassedTests: passed,
      numFailedTests,
      numPendingTests: pending,
      numTodoTests: todo,
      testResults,
    } = existsSync(file)
      ? JSON.parse(readFileSync(file, 'utf8'))
      : {
          numPassedTests: 0,
          numFailedTests: 0,
          numPendingTests: 0,
          numTodoTests: 0,
          testResults: [],
        }
    const broken = testResults.filter(
      (/** @type {{ status: string, assertionResults: unknown[] }} */ result) =>
        result.status === 'failed' && result.assertionResults.length === 0,
    ).length // a file that could not even be loaded
    const failed = numFailedTests + broken
    const none = passed + failed === 0
    const output = none ? `${verdict.output}\nNo test was executed.` : verdict.output
    return {
      ...verdict,
      output,
      code: verdict.code || (failed > 0 || none ? 1 : 0),
      passed,
      failed,
      skipped: pending + todo,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
