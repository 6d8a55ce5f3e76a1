import { Agent, type Checkup, type Generation, type HealthFact, type JsonObject } from '@amodal/sdk'
import { customTools } from './custom-tool.ts'
import type { Isolation } from './isolation.ts'
import { ATTEMPT_NAMES, ATTEMPTS } from './process/levels.ts'
import type { HandlerPool } from './process/pool.ts'

/** For `GET /health`: what handlers are kept apart by, and the proof of it, where there are any. */
export function handlerFacts(
  isolation: Isolation,
  pool: HandlerPool,
  generation: () => Generation,
): () => HealthFact {
  let asked = false
  return () => {
    if (!hasCode(generation())) return { facts: {} }
    if (!asked) {
      asked = true
      void isolation.prove()
    }
    const { known } = isolation
    const { isolation: wanted } = isolation.options
    const facts: JsonObject = {
      sandbox: known?.ok === true ? known.value.sandbox : null,
      processes: pool.processes,
      isolation: wanted,
      ...(known?.ok === true && {
        isolated: known.value.missing.length === 0,
        proof: { ...known.value.attempts },
      }),
    }
    return {
      facts: { handlers: facts },
      ...(known?.ok === false &&
        known.error.code === 'BAD_CONFIG' && { problem: known.error.message }),
    }
  }
}

/** For `amodal doctor`: the same, in sentences. */
export async function handlerCheckup(
  isolation: Isolation,
  generation: () => Generation,
): Promise<Checkup | undefined> {
  if (!hasCode(generation())) return undefined
  const proof = await isolation.prove()
  const title = 'Handlers'
  if (!proof.ok) return { title, ok: false, lines: [proof.error.message] }
  const { sandbox, attempts, missing } = proof.value
  const isolated = missing.length === 0
  return {
    title: `${title}: ${sandbox}, ${isolated ? 'kept apart from the server' : 'not kept apart from the server'}`,
    ok: isolated || isolation.options.isolation !== 'required',
    lines: [
      ...ATTEMPT_NAMES.map((name) => `${attempts[name].padEnd(8)} ${ATTEMPTS[name]}`),
      ...(isolated
        ? []
        : [
            `preset production refuses them like this${isolation.options.isolation === 'none' ? '; "isolation": "none" lets them run' : ''}`,
          ]),
    ],
  }
}

function hasCode(generation: Generation): boolean {
  const bundle = generation.scope.find(Agent)?.bundle()
  return bundle !== undefined && customTools(bundle).some(({ kind }) => kind === 'handler')
}
