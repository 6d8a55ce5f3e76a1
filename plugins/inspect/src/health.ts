import { Health, messageOf, trySync, type Agent, type Generation, type Json, type JsonObject } from '@amodal/sdk'
import { errorsIn } from '@amodal/sdk/files'

export interface HealthReport { readonly status: 'starting' | 'ok' | 'degraded'; readonly body: JsonObject }

/**
 * How the agent fares. `starting` until it takes messages; `degraded` where it serves, but something of it does not
 * work: what, stands in `problems`.
 */
export function healthOf(agent: Agent, generation: Generation, uptimeMs: number): HealthReport {
  const { active, resident, ready, problem } = agent.status()
  const bundle = agent.bundle()
  const facts: Record<string, Json> = {}
  const problems: string[] = problem ? [`${problem.code}: ${problem.message}`] : []
  for (const [name, fact] of generation.registry(Health)) {
    const said = trySync(fact, messageOf)
    if (said.ok) Object.assign(facts, said.value.facts)
    const wrong = said.ok ? said.value.problem : `its health cannot be told: ${said.error}`
    if (wrong !== undefined) problems.push(`${name}: ${wrong}`)
  }
  const broken = errorsIn(bundle?.issues ?? []).length
  if (broken > 0) problems.push(`${broken} ${broken === 1 ? 'file' : 'files'} of the agent could not be read: see \`amodal validate\``)
  const notices = agent.models().flatMap(({ notice }) => notice ?? [])

  const status = problems.length > 0 ? 'degraded' : ready ? 'ok' : 'starting'
  return {
    status,
    body: {
      ...facts,
      status, mode: 'repo', repo_path: bundle?.root ?? null, name: bundle?.manifest.name ?? null, uptime_ms: Math.round(uptimeMs),
      active_sessions: resident + active, active_runs: active,
      ...(notices.length > 0 && { model_notice: notices.join('\n') }),
      ...(problems.length > 0 && { problems }),
    },
  }
}
