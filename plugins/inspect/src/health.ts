import {
  Authenticator,
  chooseModel,
  CODES,
  fixOf,
  Health,
  isList,
  messageOf,
  trySync,
  type Agent,
  type AgentBundle,
  type BundleIssue,
  type Generation,
  type Json,
  type JsonObject,
  type ModelConfig,
} from '@amodal/sdk'
import { errorsIn, issueLine } from '@amodal/sdk/files'

/** A problem of the agent. */
interface HealthProblem {
  readonly text: string
  /** The entry of `Health` that reports it. */
  readonly source?: string
  /** The next step, if the text does not contain it. */
  readonly fix?: string
}

export interface HealthReport {
  readonly status: 'starting' | 'ok' | 'degraded'
  readonly body: JsonObject
}

/**
 * The health of the agent: `starting` until it is ready and can authenticate requests, whatever its
 * problems; then `degraded` with `problems`, `ok` without.
 */
export function healthOf(agent: Agent, generation: Generation, uptimeMs: number): HealthReport {
  const { active, resident, ready, problem, memory } = agent.status()
  const bundle = agent.bundle()
  const facts: Record<string, Json> = {}
  const problems: HealthProblem[] = problem
    ? [{ text: `${problem.code}: ${problem.message}`, fix: fixOf(problem) }]
    : []
  for (const [name, fact] of generation.registry(Health)) {
    const outcome = trySync(fact, messageOf)
    if (outcome.ok) Object.assign(facts, outcome.value.facts)
    const wrong = outcome.ok
      ? outcome.value.problem
      : `its health cannot be determined: ${outcome.error}`
    const fix = outcome.ok ? outcome.value.fix : undefined
    if (wrong !== undefined)
      problems.push({ text: `${name}: ${wrong}`, source: name, ...(fix !== undefined && { fix }) })
  }
  problems.push(...brokenFiles(errorsIn(bundle?.issues ?? [])))
  const used = bundle && providersInUse(generation, bundle)
  const notices = agent
    .models()
    .flatMap(({ provider, notice, standIn }) =>
      notice === undefined || (standIn === true && used?.has(provider) === false) ? [] : [notice],
    )

  const isStarting = generation.scope.find(Authenticator)?.isStarting?.() ?? false
  const servingStatus = problems.length > 0 ? 'degraded' : 'ok'
  const status = ready && !isStarting ? servingStatus : 'starting'
  return {
    status,
    body: {
      ...facts,
      status,
      mode: 'repo',
      repo_path: bundle?.root ?? null,
      name: bundle?.manifest.name ?? null,
      uptime_ms: Math.round(uptimeMs),
      active_sessions: resident + active,
      active_runs: active,
      ...(memory && { resident_bytes: memory.bytes, resident_bytes_limit: memory.limit }),
      ...(notices.length > 0 && { model_notice: notices.join('\n') }),
      ...(problems.length > 0 && {
        problems: problems.map(({ text }) => text),
        problem_details: problems.map((one) => ({ ...one })),
      }),
    },
  }
}

/** The report for a caller whose roles do not cover all of the agent: problems are only counted. */
export function withProblemCount({
  problems,
  problem_details: _details,
  ...body
}: JsonObject): JsonObject {
  const count = isList(problems) ? problems.length : 0
  return count === 0
    ? body
    : {
        ...body,
        problems: [
          `${count} ${count === 1 ? 'problem' : 'problems'}: ask the operator of this agent`,
        ],
      }
}

/** Files with errors that are named in full; the rest are counted. */
const NAMED = 5

function brokenFiles(issues: readonly BundleIssue[]): readonly HealthProblem[] {
  const rest = issues.length - NAMED
  return [
    ...issues.slice(0, NAMED).map((issue) => ({ text: issueLine(issue), fix: CODES.BAD_REPO })),
    ...(rest > 0
      ? [
          {
            text: `${rest} more ${rest === 1 ? 'error' : 'errors'} in the files of the agent: see \`amodal validate\``,
          },
        ]
      : []),
  ]
}

const TIERS = ['main', 'explore', 'simple', 'advanced'] as const

/** Providers of the models that the agent's tiers resolve to, and of their fallbacks. */
function providersInUse(generation: Generation, bundle: AgentBundle): ReadonlySet<string> {
  const used = new Set<string>()
  for (const tier of TIERS) {
    for (
      let config: ModelConfig | undefined = chooseModel(generation, bundle, tier);
      config;
      config = config.fallback
    )
      used.add(config.provider)
  }
  return used
}
