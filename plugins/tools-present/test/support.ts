import loop from '@amodal/plugin-loop'
import {
  defineBundle,
  LOCAL_TENANT,
  principalId,
  startAgent,
  use,
  type AgentEvent,
  type AgentClient,
  type Entry,
} from '@amodal/sdk'
import { modelOpenaiCompatible } from '@amodal/plugin-model-openai-compatible'
import { outbound } from '@amodal/plugin-outbound'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { sessionsMemory } from '@amodal/plugin-sessions-memory'
import { bundlePlugin, startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import { toolsPresent } from '../src/index.ts'

export interface Scene extends AsyncDisposable {
  readonly face: AgentClient
  readonly model: ModelServer
}

/** An agent with these tools, before a model that says what the script says. */
export async function scene(
  script: Script,
  config: object = {},
  more: readonly Entry[] = [],
): Promise<Scene> {
  const model = await startModelServer({ script })
  const bundle = defineBundle({
    name: 'desk',
    models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
  })
  const given = bundlePlugin(bundle)
  const listed = [
    use(loop),
    use(secretsEnv, { env: {} }),
    use(outbound),
    use(modelOpenaiCompatible),
    use(sessionsMemory),
    use(given),
    use(toolsPresent, config),
  ]
  const started = await startAgent([...listed, ...more])
  if (!started.ok) throw new Error(JSON.stringify(started.error))
  const { agent, close } = started.value
  return {
    model,
    face: agent.as({ tenant: LOCAL_TENANT, principal: principalId('me') }),
    async [Symbol.asyncDispose]() {
      await close()
      await model.close()
    },
  }
}

/** The events of a turn as they come, and again from the journal. */
export async function twice(
  face: AgentClient,
  text: string,
): Promise<{ readonly live: readonly AgentEvent[]; readonly again: readonly AgentEvent[] }> {
  const live: AgentEvent[] = []
  const again: AgentEvent[] = []
  const sent = await face.send({ text })
  if (!sent.ok) throw new Error(sent.error.message)
  for await (const { event } of sent.value.frames) live.push(event)
  const followed = await face.follow(sent.value.session, {
    seq: 0,
    fencingToken: 0,
    attempt: 0,
    n: 0,
  })
  if (!followed.ok) throw new Error(followed.error.message)
  for await (const { event } of followed.value) again.push(event)
  return { live, again }
}
