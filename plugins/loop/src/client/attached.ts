import {
  type AsyncResult,
  type AssetRef,
  type Attachment,
  chooseModel,
  err,
  failure,
  type Failure,
  type ModelConfig,
  ok,
  type SendRequest,
} from '@amodal/sdk'
import { AssetStore, callStore, defined } from '@amodal/sdk/loop'
import type { RunningAgent } from '../running-agent.ts'
import type { SessionAccess } from './session-access.ts'
import { typeRefusal } from '../model-calls/accepted-types.ts'

/**
 * Attaches the files of a message to its session and checks that the model can read them. A message
 * that could not be answered is refused before it is accepted.
 */
export async function attached(
  request: SendRequest,
  to: Attachment,
  { runtime, access }: { readonly runtime: RunningAgent; readonly access: SessionAccess },
  signal: AbortSignal | undefined,
): AsyncResult<readonly AssetRef[]> {
  const { assets = [] } = request
  if (assets.length === 0) return ok([])
  const store = runtime.generation().scope.find(AssetStore)
  if (!store)
    return err(
      failure('ASSET_UNSUPPORTED', 'assets: no plugin stores files', {
        fix: 'add the plugin `assets`, or send the message without files',
      }),
    )
  const files = await callStore(
    runtime.settings.storeMs,
    (storeSignal) => store.of(access.tenant).attach(assets, to, storeSignal),
    signal,
  )
  if (!files.ok) return files
  const refused = unread(request, files.value, runtime)
  return refused ? err(refused) : files
}

/** Why the model of the message cannot read one of its files. */
function unread(
  { limits }: SendRequest,
  files: readonly AssetRef[],
  runtime: RunningAgent,
): Failure | undefined {
  const bundle = runtime.bundle()
  const generation = runtime.generation()
  const chosen = bundle && chooseModel(generation, bundle, limits?.tier ?? 'main')
  const config: ModelConfig | undefined = limits?.model
    ? { ...(limits.model.provider === chosen?.provider ? chosen : {}), ...defined(limits.model) }
    : chosen
  return config && typeRefusal(config, files, generation)
}
