import {
  deadline,
  messageOf,
  registry,
  type AgentBundle,
  type Generation,
  type JsonObject,
  type PrincipalId,
  type SessionId,
  type TenantId,
} from '@amodal/sdk'

/** The run whose files are chosen. */
export interface RunOpening {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly principal: PrincipalId
  /** Of the session, with what the message of this run adds to it. */
  readonly sessionState: JsonObject
  /** A message opens the session: what is chosen for it may be recorded. */
  readonly opensSession: boolean
  readonly signal: AbortSignal
}

/** The files of a run, and what the journal records of the choice. */
export interface ChosenFiles {
  readonly bundle: AgentBundle
  /** Joins `session_state` of the message that opens the session; otherwise it is ignored. */
  readonly sessionState?: JsonObject
}

/**
 * Chooses the files of each run, such as a variant of them. Equal choices must return the same
 * bundle object with a hash of its own, so that tools and prompt are compiled once for each.
 */
export interface RunFiles {
  /** @param bundle the agent's files, as the roles of the caller allow them */
  choose(bundle: AgentBundle, opening: RunOpening): Promise<ChosenFiles>
}

/**
 * Those that choose, by the name of their plugin: each is given what the one before it has chosen.
 * Without any, a run uses the agent's files as they are.
 *
 * @example
 * add(RunFiles, 'variants', {
 *   choose: async (bundle, { principal }) => ({ bundle: variantFor(bundle, principal) }),
 * })
 */
export const RunFiles = registry<RunFiles>('run-files')

/**
 * A variant of an agent's files for a run. All files stay known to what is shared between runs,
 * such as connections.
 *
 * @param bundle as the caller's roles allow it
 * @param changes with a hash of their own
 */
export const bundleWith = (
  bundle: AgentBundle,
  changes: Pick<AgentBundle, 'hash'> &
    Partial<Pick<AgentBundle, 'instructions' | 'knowledge' | 'manifest' | 'skills' | 'stores'>>,
): AgentBundle => Object.freeze({ ...bundle, ...changes, ['whole']: bundle.whole ?? bundle })

/** ms for a choice. */
const CHOICE_MS = 5_000

/** The files of a run; a choice that fails changes nothing, so that the run goes on. */
export async function chooseFiles(
  generation: Generation,
  bundle: AgentBundle,
  opening: Omit<RunOpening, 'signal'>,
): Promise<ChosenFiles> {
  let chosen: ChosenFiles = { bundle }
  for (const [plugin, files] of generation.registry(RunFiles)) {
    const next = await chooseOne(files, chosen.bundle, opening).catch((cause: unknown) => {
      const message = messageOf(cause)
      generation.log.warn('run_files_not_chosen', { plugin, session: opening.session, message })
      return { bundle: chosen.bundle }
    })
    chosen = { bundle: next.bundle, ...mergedState(chosen.sessionState, next) }
  }
  return chosen
}

const mergedState = (
  before: JsonObject | undefined,
  { sessionState }: ChosenFiles,
): Pick<ChosenFiles, 'sessionState'> =>
  (before ?? sessionState) ? { sessionState: { ...before, ...sessionState } } : {}

async function chooseOne(
  files: RunFiles,
  bundle: AgentBundle,
  opening: Omit<RunOpening, 'signal'>,
): Promise<ChosenFiles> {
  const limit = deadline(undefined, CHOICE_MS, 'choosing the files of a run')
  try {
    return await Promise.race([
      files.choose(bundle, { ...opening, signal: limit.signal }),
      expiry(limit.signal),
    ])
  } finally {
    limit.clear()
  }
}

const expiry = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(messageOf(signal.reason))), {
      once: true,
    })
  })
