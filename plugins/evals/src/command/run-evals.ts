import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Agent, err, ok, type CommandContext, type Failure, type Result } from '@amodal/sdk'
import { EvalInvalid } from '../errors.ts'
import {
  baselineText,
  compareWith,
  readBaseline,
  type BaselineCase,
  type Comparison,
} from '../report/baseline.ts'
import { junit } from '../report/junit.ts'
import { summaryOf } from '../report/summary.ts'
import { resultLines, summaryLines } from '../report/table.ts'
import type { EvalRun, RunStore } from '../results/result.ts'
import { RunFiles } from '../results/run-files.ts'
import type { EvalRunner, Prepared } from '../run/eval-runner.ts'
import { settingsOf } from '../settings.ts'
import { Evals } from '../tokens.ts'
import { casesSince } from './cases-since.ts'
import { readOptions, type EvalOptions } from './eval-options.ts'
import { runOnServer } from './run-on-server.ts'

const INTERRUPTED = 130

/** Runs the evals of the agent folder in this process, or has a server run its own. */
export async function runEvals(context: CommandContext): Promise<number> {
  const read = readOptions(context)
  if (!read.ok) {
    context.fail(read.error)
    return 2
  }
  const options = read.value
  const compared = await baselineOf(context, options)
  if (!compared.ok) {
    context.fail(compared.error)
    return 2
  }
  const ran =
    options.url === undefined
      ? await runHere(context, options)
      : await runOnServer(context, options, options.url, tellOf(context, options))
  if (!ran.ok) {
    context.fail(ran.error)
    return 1
  }
  const run = ran.value
  if (!run) return 0
  const comparison = compared.value && compareWith(compared.value, run)
  await report(context, options, run, comparison)
  if (context.signal.aborted) return INTERRUPTED
  return exitCode(options, run, comparison)
}

/** @returns `undefined` where no case is to be run */
async function runHere(
  context: CommandContext,
  options: EvalOptions,
): Promise<Result<EvalRun | undefined, string>> {
  const kernel = await context.start({ without: ['http'], looking: true })
  const { runner } = kernel.scope.get(Evals)
  const bundle = kernel.scope.get(Agent).bundle()
  const store = new RunFiles(join(context.dir, '.amodal', 'evals'))
  const request = options.request(settingsOf(bundle ?? { parts: {} }))
  const touched =
    bundle && options.changed !== undefined
      ? await casesSince(context, {
          bundle,
          ref: options.changed,
          store,
          baseline: baselineFile(context, options.baseline),
        })
      : undefined
  if (touched?.ok === false) return touched
  if (touched?.value.length === 0) return ok(undefined)
  const prepared =
    options.resume === undefined
      ? await runner.begin({ ...request, ...(touched && { cases: touched.value }) }, store)
      : await resumed(options.resume, runner, store)
  if (!prepared.ok) return err(`${prepared.error.code}: ${prepared.error.message}`)
  return ok(await finish(context, options, { prepared: prepared.value, runner, store }))
}

/** Where results are told: a report on the standard output is all that is there. */
function tellOf(
  context: CommandContext,
  { reporter, output }: EvalOptions,
): (line: string) => void {
  const isQuiet = reporter !== 'table' && output === undefined
  return isQuiet ? context.fail : context.print
}

async function resumed(
  name: string,
  runner: EvalRunner,
  store: RunStore,
): Promise<Result<Prepared, Failure>> {
  const open = (await store.list(100)).filter(({ status }) => status !== 'done')
  const run = name === 'last' ? open[0] : await store.find(name)
  if (!run)
    return err(
      EvalInvalid(
        name === 'last'
          ? 'there is no run to go on with: all of them are complete'
          : `there is no run "${name}"`,
      ),
    )
  // The budget of the run that goes on counts anew: who resumes wants it to go on.
  const { budget: _budget, ...request } = run.request
  return runner.resume(run.status === 'budget' ? { ...run, request } : run)
}

async function finish(
  context: CommandContext,
  options: EvalOptions,
  around: { readonly prepared: Prepared; readonly runner: EvalRunner; readonly store: RunStore },
): Promise<EvalRun> {
  const { prepared, runner, store } = around
  const { header } = prepared
  const tell = tellOf(context, options)
  const status = await runner.run(prepared, {
    store,
    signal: context.signal,
    onResult: (result) => {
      for (const line of resultLines(result, header.request.runs)) tell(line)
    },
  })
  const run = await store.find(header.id)
  return { ...(run ?? { ...header, results: [] }), status }
}

async function report(
  context: CommandContext,
  { baseline, output, reporter, savesBaseline }: EvalOptions,
  run: EvalRun,
  comparison: Comparison | undefined,
): Promise<void> {
  if (reporter === 'table' || output !== undefined)
    for (const line of [...summaryLines(run), ...comparedLines(comparison)]) context.print(line)
  if (reporter !== 'table') {
    const text =
      reporter === 'junit'
        ? junit(run)
        : JSON.stringify({ ...run, summary: summaryOf(run), ...(comparison && { comparison }) })
    if (output === undefined) context.print(text)
    else await write(resolve(context.dir, output), `${text}\n`)
  }
  if (savesBaseline) await write(baselineFile(context, baseline), baselineText(run))
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

function comparedLines(comparison: Comparison | undefined): readonly string[] {
  if (!comparison) return []
  const { added, improved, missing, regressed } = comparison
  const share = (part: number): string => `${Math.round(part * 100)} %`
  return [
    ...regressed.map(
      (one) =>
        `worse: ${one.suite} / ${one.case}  ${one.variant}  ${share(one.before ?? 0)} → ${share(one.now)}`,
    ),
    ...missing.map((one) => `missing: ${one}`),
    `Compared with the baseline: ${regressed.length} worse, ${improved.length} better, ${added.length} new, ${missing.length} missing.`,
  ]
}

function exitCode(
  { failOn }: EvalOptions,
  { results, status }: EvalRun,
  comparison: Comparison | undefined,
): number {
  if (status !== 'done') return 1
  const isBad =
    failOn === 'regress'
      ? (comparison?.regressed.length ?? 0) > 0 || results.some((one) => one.status === 'error')
      : failOn === 'any' && results.some((one) => one.status !== 'passed')
  return isBad ? 1 : 0
}

const baselineFile = ({ dir }: CommandContext, named: string | undefined): string =>
  resolve(dir, named ?? 'evals/baseline.json')

/** The cases to compare with, where the command line asks for that. */
async function baselineOf(
  context: CommandContext,
  { baseline, failOn, savesBaseline }: EvalOptions,
): Promise<Result<readonly BaselineCase[] | undefined, string>> {
  if (savesBaseline || (baseline === undefined && failOn !== 'regress')) return ok(undefined)
  const file = baselineFile(context, baseline)
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined)
    return err(`there is no baseline ${file}: make one with amodal eval --save-baseline`)
  const read = readBaseline(text)
  return read.ok ? ok(read.value) : err(`${file} is no baseline: ${read.error}`)
}
