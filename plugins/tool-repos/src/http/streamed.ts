import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { unreadBody } from '@amodal/plugin-http/tokens'
import type { GitExit, GitProcess } from '../git/git-process.ts'

export interface Exchange {
  readonly git: GitProcess
  /** Read to its end, also where git does not read it. */
  readonly body: AsyncIterable<Uint8Array>
  /** Sent before the output of git. */
  readonly prefix?: Buffer
}

/** Why there is no response: the body cannot be read, or git ended without a word. */
export type NoResponse =
  | { readonly kind: 'body'; readonly failure: Failure }
  | { readonly kind: 'git'; readonly exit: GitExit }

/**
 * Passes a body to git and its output on, both as fast as the slower side takes them.
 *
 * @returns a stream once git has written something, so that a failure before it has a status
 */
export async function exchange({
  git,
  body,
  prefix,
}: Exchange): Promise<Result<ReadableStream<Uint8Array>, NoResponse>> {
  let unread: Failure | undefined
  const fed = feed(git.stdin, body).catch((cause: unknown) => {
    unread = unreadBody(cause)
    git.stop()
  })
  const output: AsyncIterator<Uint8Array> = git.stdout.iterator()
  const first = await output.next().catch(() => ENDED)
  if (first.done === true) {
    const exit = await git.exited
    await fed
    if (unread) return err({ kind: 'body', failure: unread })
    if (exit.code !== 0) return err({ kind: 'git', exit })
  }
  return ok(responseStream(git, [prefix, first.value], output, fed))
}

const ENDED: IteratorReturnResult<undefined> = { done: true, value: undefined }

async function feed(stdin: Writable, body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of body) {
    // Git has ended or reads no more. Clients send all before they read the response.
    if (stdin.destroyed || !stdin.writable) continue
    if (!stdin.write(chunk)) await drained(stdin)
  }
  stdin.end()
}

async function drained(stdin: Writable): Promise<void> {
  const settled = new AbortController()
  try {
    await Promise.race(
      ['drain', 'close'].map((event) => once(stdin, event, { signal: settled.signal })),
    )
  } catch {
    // it was closed with an error, which its process reports
  } finally {
    settled.abort()
  }
}

function responseStream(
  git: GitProcess,
  first: readonly (Uint8Array | undefined)[],
  output: AsyncIterator<Uint8Array>,
  fed: Promise<void>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of first) if (chunk !== undefined) controller.enqueue(chunk)
    },
    async pull(controller) {
      const next = await output.next()
      if (next.done !== true) {
        controller.enqueue(next.value)
        return
      }
      await git.exited
      await fed
      // A client notices where the output ends early: git's protocol says how each part of it ends.
      controller.close()
    },
    cancel() {
      git.stop()
    },
  })
}
