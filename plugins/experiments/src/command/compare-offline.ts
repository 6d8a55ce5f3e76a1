import { Agent, type CommandContext } from '@amodal/sdk'
import { experimentsOf } from '../definition.ts'
import { compareVariants } from '../offline/compare.ts'
import { runVariants, type OfflineRequest } from '../offline/run-variants.ts'
import { comparisonLines } from './lines.ts'

const INTERRUPTED = 130

/** Runs the evals once with each variant and prints how they compare. */
export async function compareOffline(context: CommandContext, name: string): Promise<number> {
  const request = requestOf(context)
  if (typeof request === 'string') {
    context.fail(request)
    return 2
  }
  const kernel = await context.start({ without: ['http'], looking: true })
  const bundle = kernel.scope.get(Agent).bundle()
  const experiments = bundle ? experimentsOf(bundle) : []
  const experiment = experiments.find((one) => one.name === name)
  if (!experiment) {
    const issue = bundle?.issues.find(({ file }) => file === `experiments/${name}.json`)
    context.fail(
      issue
        ? `${issue.code}: ${issue.file ?? ''}:${issue.line ?? 1}  ${issue.message}${issue.fix === undefined ? '' : ` — ${issue.fix}`}`
        : `EXPERIMENT_NOT_FOUND: there is no experiment "${name}"; there are: ${experiments.map((one) => one.name).join(', ') || 'none'}`,
    )
    return 1
  }
  const isJson = context.options['json'] === true
  const results = await runVariants(context, experiment, request, (variant, result) => {
    const line = `${result.status === 'passed' ? '✓' : '✗'} ${variant}  ${result.suite} / ${result.case}  ${result.seconds.toFixed(1)} s`
    if (!isJson) context.print(line)
  })
  const comparisons = compareVariants(experiment, results)
  if (isJson) context.print(JSON.stringify({ experiment: name, variants: comparisons }))
  else for (const line of comparisonLines(comparisons)) context.print(line)
  if (context.signal.aborted) return INTERRUPTED
  const isBad = comparisons.some(
    ({ problem, verdict }) => problem !== undefined || verdict === 'worse',
  )
  return isBad ? 1 : 0
}

function requestOf({ options }: CommandContext): OfflineRequest | string {
  const runs = options['runs'] === undefined ? 1 : Number(options['runs'])
  if (!Number.isInteger(runs) || runs < 1 || runs > 100)
    return `--runs: "${String(options['runs'])}" is no number from 1 to 100`
  const budget = options['budget'] === undefined ? undefined : Number(options['budget'])
  if (budget !== undefined && !(budget > 0))
    return `--budget: "${String(options['budget'])}" is no number of dollars`
  return { runs, budget }
}
