import { resolve } from 'node:path'
import {
  Agent,
  err,
  Kernel,
  ok,
  use,
  type AgentBundle,
  type Result,
  type StartError,
} from '@amodal/sdk'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import { embedded } from '../embedded.ts'
import { AmodalError } from './amodal-error.ts'

export interface LoadRepoOptions {
  /** Answers for `env:NAME` in the files, besides the folder's `.env`; such as `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
}

/**
 * Reads an agent folder without running it: its manifest, connections, skills, knowledge, tools,
 * stores and agents, as `createAgent` and the server see them. Nothing is connected or started.
 *
 * @param dir the agent folder
 * @returns the bundle, frozen; what of it cannot be used stands in `issues`, with file and line
 * @throws {@link AmodalError} where the folder is none (`NOT_FOUND`, `BAD_REPO`, `ENV_NOT_SET` …)
 * @example
 * const bundle = await loadRepo('./my-agent', { env: process.env })
 * for (const { file, line, message } of bundle.issues) console.warn(file, line, message)
 * @see architecture
 */
export async function loadRepo(dir: string, options: LoadRepoOptions = {}): Promise<AgentBundle> {
  const loaded = await readRepo(resolve(dir), options)
  if (loaded.ok) return loaded.value
  throw AmodalError.ofStart(loaded.error)
}

async function readRepo(
  dir: string,
  { env = {}, signal }: LoadRepoOptions,
): Promise<Result<AgentBundle, StartError>> {
  const kernel = await Kernel.create(
    [...embedded.entries, use(secretsEnv, { env }), use(repoFiles, { dir })],
    { env, boots: [] },
  )
  if (!kernel.ok) return kernel
  const loaded = await kernel.value.current().scope.get(Agent).reloadBundle(signal)
  await kernel.value.close()
  return loaded.ok ? ok(loaded.value) : err({ kind: 'agent', failure: loaded.error })
}
