import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { changedFiles, dependentTests } from './lib/changed.mjs'
import { childResult } from './lib/child.mjs'
import { lintFiles } from './lib/lint.mjs'
import { GATE } from './lib/tiers.mjs'
import { runVitest } from './lib/vitest.mjs'

/**
 * @typedef {import('./lib/tools.mjs').Tools} Tools
 * @typedef {import('./lib/test-report.mjs').Flake} Flake
 * @typedef {import('./lib/test-report.mjs').TestReport} TestReport
 * @typedef {import('./lib/vitest.mjs').Run} Run
 * @typedef {import('./lib/vitest.mjs').Verdict} Verdict
 *
 * @typedef {(run: Run, root: string) => Promise<Verdict> | undefined} Stage
 *
 * @typedef {object} Total
 * @property {number} passed
 * @property {number} failed
 * @property {Flake[]} flaky
 * @property {TestReport['files'][number][]} files
 */

const MINUTE = 60_000
/** A stage that takes longer hangs, also on a machine that has much else to do. */
const STAGE_MS = 30 * MINUTE
/** Of all stages together: less than a job of CI may take. */
const TOTAL_MS = 55 * MINUTE
/** How much longer everything may take with `--all`. */
const ALL_FACTOR = 5

/** Everything there is, matrices whole: the tests read it from `AMODAL_TEST_ALL`. */
const ALL = '--all'
/** What depends on the changes since a commit. */
const CHANGED = '--changed'

/** What CI may keep of a run. */
const RESULTS = '.tools/test-results'
const SLOWEST = 10

/** What is checked after the workspace itself, with settings of its own. */
const OTHER_PROJECTS = ['scripts/tsconfig.json', 'examples/next-app/tsconfig.json']

/** @type {Stage} */
const types = async (run, root) => {
  let verdict = await typecheck(run, 'tsconfig.json')
  for (const project of OTHER_PROJECTS)
    if (verdict.code === 0 && existsSync(join(root, project)))
      verdict = await typecheck(run, project)
  return verdict
}
/** @type {Stage} */
const lint = (run) => lintFiles(run, ['.'], STAGE_MS)
/** @type {Stage} */
const unit = (run) => runVitest(run, ['--project', 'unit', '--project', 'parts'], STAGE_MS)
/** @type {Stage} */
const system = (run) => runVitest(run, ['--project', 'system'], STAGE_MS)
/** @type {Stage} */
const chaos = (run) => runVitest(run, ['--project', 'chaos'], STAGE_MS)
/** @type {Stage} */
const bench = (run, root) =>
  existsSync(join(root, 'tests/bench/run.ts'))
    ? run(['tests/bench/run.ts', '--smoke'], STAGE_MS)
    : undefined

/** @type {Record<string, Stage>} */
const stages = { types, unit, system, lint, chaos, bench }
/**
 * What is quick to fail comes first. Lists of a row run at the same time: tests of servers wait
 * half of their time.
 *
 * @type {readonly (readonly string[][])[]}
 */
const gateRows = [[['types']], [['lint']], [['unit']], [['system'], ['chaos']]]
/** The benchmark asserts how fast something is, so it is part of `--all` and never of the gate. */
const allRows = [...gateRows, [['bench']]]
export const stageNames = Object.keys(stages)
export const optionNames = [ALL, CHANGED]

/**
 * `npm test`: the stages of the gate, stopping at the first that fails; or those that are named; or
 * the tests that match. With `--all` every stage and every test runs, and long matrices run whole;
 * with `--changed [REF]` what depends on the changes since then.
 *
 * @param {string} root
 * @param {Tools} tools
 * @param {readonly string[]} args names of stages, or else arguments of vitest such as paths and
 *   `-t name`
 * @returns {Promise<number>} exit code
 */
export async function check(root, tools, args) {
  const isAll = args.includes(ALL)
  const factor = isAll ? ALL_FACTOR : 1
  const base = isAll ? { ...tools.env, AMODAL_TEST_ALL: '1' } : tools.env
  const end = Date.now() + factor * TOTAL_MS
  /** @type {(tier: NodeJS.ProcessEnv) => Run} */
  const captureIn = (tier) => (commandLine, limitMs, env) =>
    childResult(tools.node, commandLine, {
      cwd: root,
      env: { ...base, ...tier, ...env },
      capture: true,
      deadlineMs: Math.max(1, Math.min(factor * limitMs, end - Date.now())),
    })
  const capture = captureIn(isAll ? {} : GATE)
  /** @type {Run} */
  const show = (commandLine, _limitMs, env) =>
    childResult(tools.node, commandLine, { cwd: root, env: { ...base, ...env } })

  const named = args.filter((arg) => arg !== ALL)
  /** @type {Total} */
  const total = { passed: 0, failed: 0, flaky: [], files: [] }
  let code
  if (named[0] === CHANGED) {
    const { rows, stages } = changedStages(root, named[1])
    code = await runRows(rows, stages, capture, root, total)
  } else if (named.every((name) => Object.hasOwn(stages, name))) {
    const rows = isAll ? allRows : gateRows
    const chosen = named.map((name) => [[name]])
    code = await runRows(named.length === 0 ? rows : chosen, stages, capture, root, total)
  } else {
    const verdict = await runVitest(show, named, 0)
    add(total, verdict)
    code = verdict.code
  }
  summarize(root, total)
  return code
}

/**
 * Types of everything; lint and tests of what changed and what depends on it.
 *
 * @param {string} root @param {string | undefined} ref
 */
function changedStages(root, ref) {
  const files = changedFiles(root, ref)
  const tests = dependentTests(root, files)
  process.stdout.write(`${files.length} files changed, ${tests.length} test files depend on them\n`)
  /** @type {Stage} */
  const lintChanged = (run) => (files.length === 0 ? undefined : lintFiles(run, files, STAGE_MS))
  /** @type {Stage} */
  const testChanged = (run) =>
    tests.length === 0
      ? undefined
      : // the list is of the gate already, and has what changed in any case
        runVitest(run, ['--tags-filter', '!speed', ...tests], STAGE_MS, { AMODAL_TEST_TIER: '' })
  return {
    rows: [[['types']], [['lint'], ['tests']]],
    stages: { types, lint: lintChanged, tests: testChanged },
  }
}

/**
 * @param {readonly (readonly string[][])[]} rows
 * @param {Record<string, Stage>} stages
 * @param {Run} run
 * @param {string} root
 * @param {Total} total
 */
async function runRows(rows, stages, run, root, total) {
  for (const row of rows) {
    const names = row.flat()
    const isAlone = names.length === 1
    // before they run, so that a slow or stuck one can be seen
    process.stdout.write(isAlone ? (names[0] ?? '').padEnd(WIDTH) : `${names.join(' and ')} …\n`)
    const codes = await Promise.all(
      row.map(async (list) => {
        for (const name of list) {
          const stage = stages[name]
          if (stage === undefined) throw new Error(`there is no stage "${name}"`)
          const code = await runStage(isAlone ? '' : name.padEnd(WIDTH), stage, run, root, total)
          if (code !== 0) return code
        }
        return 0
      }),
    )
    const code = codes.find((one) => one !== 0) ?? 0
    if (code !== 0) return code
  }
  return 0
}

/** Characters of a stage's name in what is printed. */
const WIDTH = 7

/**
 * @param {string} label printed before the result
 * @param {Stage} stage
 * @param {Run} run
 * @param {string} root
 * @param {Total} total
 */
async function runStage(label, stage, run, root, total) {
  const begin = Date.now()
  const verdict = await stage(run, root)
  if (verdict === undefined) {
    process.stdout.write(`${label}nothing to run\n`)
    return 0
  }
  add(total, verdict)
  const seconds = `${((Date.now() - begin) / 1000).toFixed(1)} s`.padStart(8)
  process.stdout.write(
    `${label}${verdict.code === 0 ? 'ok    ' : 'FAILED'} ${seconds}${describe(verdict)}\n`,
  )
  const isUnfinished = verdict.stoppedBy !== undefined && verdict.stoppedBy !== 'deadline'
  if (verdict.code !== 0 && !isUnfinished) process.stdout.write(`${verdict.output.trimEnd()}\n`)
  return verdict.code
}

/** @param {Verdict} verdict */
function describe({ report, stoppedBy }) {
  const parts = []
  if (report !== undefined) {
    parts.push(`${report.passed + report.failed} tests`)
    if (report.skipped > 0) parts.push(`${report.skipped} skipped`)
    if (report.flaky.length > 0) parts.push(`${report.flaky.length} flaky`)
  }
  if (stoppedBy !== undefined)
    parts.push(stoppedBy === 'deadline' ? 'stopped: it took too long' : `stopped: ${stoppedBy}`)
  return parts.length === 0 ? '' : `  ${parts.join(', ')}`
}

/**
 * A stage that is red without a single failed test still counts as one.
 *
 * @param {Total} total
 * @param {Verdict} verdict
 */
function add(total, { code, report }) {
  const failed = report?.failed ?? 0
  total.passed += report?.passed ?? 0
  total.failed += code === 0 ? failed : Math.max(1, failed)
  total.flaky.push(...(report?.flaky ?? []))
  total.files.push(...(report?.files ?? []))
}

/**
 * The slowest files, what passed on its second attempt only, and the sum.
 *
 * @param {string} root
 * @param {Total} total
 */
function summarize(root, { passed, failed, flaky, files }) {
  const slowest = files.toSorted((one, other) => other.ms - one.ms)
  mkdirSync(join(root, RESULTS), { recursive: true })
  writeFileSync(join(root, RESULTS, 'flaky.json'), `${JSON.stringify(flaky, undefined, 2)}\n`)
  writeFileSync(join(root, RESULTS, 'times.json'), `${JSON.stringify(slowest, undefined, 2)}\n`)
  if (slowest.length > 1) process.stdout.write('slowest:\n')
  for (const { file, ms } of slowest.length > 1 ? slowest.slice(0, SLOWEST) : [])
    process.stdout.write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}\n`)
  if (flaky.length > 0) process.stdout.write('flaky:\n')
  for (const { file, name, failure } of flaky)
    process.stdout.write(`  ${file} > ${name}\n    ${failure.split('\n')[0]}\n`)
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
}

/** @param {Run} run @param {string} project */
const typecheck = (run, project) =>
  run(
    ['node_modules/typescript-native/bin/tsc', '-p', project, '--noEmit', '--pretty', 'false'],
    STAGE_MS,
  )
