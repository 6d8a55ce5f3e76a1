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

/** The run to choose files for. */
export interface RunOpening {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly principal: PrincipalId
  /** Roles of the principal at the time of the request. */
  readonly roles?: readonly string[]
  /** `context` of the message, as it was sent, without verification. */
  readonly context?: Readonly<Record<string, string>>
  /** The state of the session, with that of this run's message. */
  readonly sessionState: JsonObject
  /** Whether a message opens the session, so that the choice may be recorded. */
  readonly opensSession: boolean
  readonly signal: AbortSignal
}

/** The files of a run, and the record of the choice for the journal. */
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
  /**
   * The files of a run whose choice fails or takes too long, for a choice that limits what a run
   * may use. Without it such a run has the files unchanged.
   */
  fallback?(bundle: AgentBundle, opening: Omit<RunOpening, 'signal'>): AgentBundle
}

/**
 * The plugins that choose files, by name; each is given the choice of the one before it. Without
 * any, a run uses the agent's files unchanged.
 *
 * @example
 * add(RunFiles, 'variants', {
 * choose: async (bundle, { principal }) => ({ bundle: variantFor(bundle, principal) }),
 * })
 */
export const RunFiles = registry<RunFiles>('run-files')

/**
 * A variant of an agent's files for a run. Features that are shared between runs, such as
 * connections, still see all files.
 *
 * @param bundle as the caller's roles allow it
 * @param changes with a hash of their own
 */
export const bundleWith = (
  bundle: AgentBundle,
  changes: Pick<AgentBundle, 'hash'> &
    Partial<Pick<AgentBundle, 'instructions' | 'knowledge' | 'manifest' | 'skills' | 'stores'>>,
): AgentBundle =>
  Object.freeze({ ...bundle, ...changes, unrestricted: bundle.unrestricted ?? bundle })

/** The time limit of a choice, ms. */
const CHOICE_MS = 5_000

/** Chooses the files of a run. A choice that fails is logged, and its fallback takes its place. */
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
      return { bundle: files.fallback?.(chosen.bundle, opening) ?? chosen.bundle }
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
