import { Agent, type Generation, type HealthFact } from '@amodal/sdk'
import { customTools } from './custom-tool.ts'
import type { Launcher, Sandbox } from './process/launcher.ts'
import type { HandlerPool } from './process/pool.ts'

/** For `GET /health`: what handlers are wrapped in, where there are any. */
export function handlerFacts(launcher: Launcher, pool: HandlerPool, generation: () => Generation): () => HealthFact {
  let wrapped: Sandbox | undefined
  let problem: string | undefined
  let asked = false
  return () => {
    const bundle = generation().scope.find(Agent)?.bundle()
    if (!bundle || !customTools(bundle).some(({ kind }) => kind === 'handler')) return { facts: {} }
    if (!asked) {
      asked = true
      void launcher.sandbox().then((found) => {
        if (found.ok) wrapped = found.value
        else problem = found.error.message
      })
    }
    return { facts: { handlers: { sandbox: wrapped ?? null, processes: pool.processes } }, ...(problem !== undefined && { problem }) }
  }
}
