import { useCallback, useMemo, useState } from 'react'
import type {
  ArtifactSummary,
  Client,
  RunDetails,
  RunInput,
  RunProgress,
  RunQuestion,
} from '@amodal/sdk/client'
import { isAbout } from '../connection/connection.ts'
import { useConnection } from '../provider.tsx'
import { useReading } from './use-reading.ts'

interface FollowedRun {
  readonly run: RunDetails | undefined
  readonly progress: readonly RunProgress[]
  readonly artifacts: readonly ArtifactSummary[]
}

/** A run of an agent profile. */
export interface AgentRun {
  /** Also the id of its session. */
  readonly id: string | undefined
  readonly status: RunDetails['status'] | undefined
  readonly run: RunDetails | undefined
  /** What happened in it, from the beginning. */
  readonly progress: readonly RunProgress[]
  /** What it has written, once it has ended. */
  readonly artifacts: readonly ArtifactSummary[]
  /** What it waits for. */
  readonly pending: readonly RunQuestion[]
  readonly loading: boolean
  readonly error: Error | undefined
  /** @returns its id, once it is stored. Rejects with a `ClientError`. */
  readonly start: (run: RunInput) => Promise<string>
  /** Answers what it waits for, with an input that fits its schema. */
  readonly resume: (input: Parameters<Client['runs']['resume']>[1], ask?: string) => Promise<void>
  readonly cancel: (reason?: string) => Promise<void>
}

const NO_PROGRESS: readonly RunProgress[] = []
const NO_ARTIFACTS: readonly ArtifactSummary[] = []
const NO_QUESTIONS: readonly RunQuestion[] = []

/**
 * Starts a run, or follows one: its state and its progress, and what it leaves.
 *
 * @param known id of a run that was started before
 * @example
 * const { start, run, artifacts } = useAgentRun()
 * const onClick = () => start({ profile: 'researcher', task: 'Why are there P1 incidents?' })
 */
export function useAgentRun(known?: string): AgentRun {
  const { client } = useConnection()
  const [started, setStarted] = useState<string>()
  const id = started ?? known
  const { data, loading, error, refresh } = useReading<FollowedRun>(
    id === undefined ? undefined : `run ${id}`,
    (connection) => ({
      read: (emit, signal) => followRun(connection.client, id ?? '', emit, signal),
      watch: (changed) => connection.watch((change) => isAbout(change, id), changed),
    }),
  )
  const actions = useMemo(() => {
    const requireId = (): string => {
      if (id === undefined) throw new Error('AMODAL_NO_RUN: no run was started yet')
      return id
    }
    return {
      async resume(input: Parameters<Client['runs']['resume']>[1], ask?: string) {
        await client.runs.resume(requireId(), input, ask === undefined ? {} : { ask })
        refresh()
      },
      async cancel(reason?: string) {
        await client.runs.cancel(requireId(), reason === undefined ? {} : { reason })
        refresh()
      },
    }
  }, [client, id, refresh])
  const start = useCallback(
    async (run: RunInput) => {
      const { session_id: begun } = await client.runs.start(run)
      setStarted(begun)
      return begun
    },
    [client],
  )
  const run = data?.run
  return {
    id,
    status: run?.status,
    run,
    progress: data?.progress ?? NO_PROGRESS,
    artifacts: data?.artifacts ?? NO_ARTIFACTS,
    pending: run?.status === 'awaiting_input' ? (run.pending_inputs ?? NO_QUESTIONS) : NO_QUESTIONS,
    loading,
    error,
    start,
    ...actions,
  }
}

async function followRun(
  client: Client,
  id: string,
  emit: (value: FollowedRun) => void,
  signal: AbortSignal,
): Promise<void> {
  let followed: FollowedRun = { run: undefined, progress: [], artifacts: [] }
  for await (const update of client.runs.follow(id, { signal, pauseWhileHidden: true })) {
    followed =
      update.type === 'state'
        ? { ...followed, run: update.state }
        : { ...followed, progress: [...followed.progress, update.progress] }
    emit(followed)
  }
  if (followed.run?.status === 'complete')
    emit({ ...followed, artifacts: await client.runs.artifacts(id, { signal }) })
}
