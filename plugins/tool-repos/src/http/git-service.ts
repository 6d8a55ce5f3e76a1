import { deadline, err, failure, ok, tryAsync, type Failure, type Result } from '@amodal/sdk'
import { unreadBody } from '@amodal/plugin-http/tokens'
import type { Git, GitCall } from '../git/git.ts'
import type { GitProcess } from '../git/git-process.ts'
import { PROTECTED_TAGS } from '../git/git-settings.ts'
import { Quarantine } from '../git/quarantine.ts'
import type { Repositories } from '../repositories.ts'
import type { Slots } from '../slots.ts'
import type { RepoSource } from '../tokens.ts'
import { sizeOf, type Upkeep } from '../upkeep.ts'
import { chunksOf, discard, joined } from './body-chunks.ts'
import { FLUSH, packet } from './packet-lines.ts'
import { readPushHead, type PushHead } from './push-head.ts'
import { refusalsOf, refusedReport, type Refusals } from './push-rules.ts'
import { exchange } from './streamed.ts'

export type ServiceName = 'git-upload-pack' | 'git-receive-pack'
export type GitBody = ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null

export interface GitServiceOptions {
  readonly git: Git
  readonly repositories: Repositories
  /** Limits processes, by tenant. */
  readonly processes: Slots
  /** Limits pushes: one at a time into each repository. */
  readonly pushes: Slots
  readonly upkeep: Upkeep
  readonly limits: {
    readonly maxPackBytes: number
    readonly maxObjectBytes: number
    readonly maxRepoBytes: number
    readonly maxRefs: number
    readonly timeoutMs: number
  }
  /** Aborts when the plugin is disposed. */
  readonly life: AbortSignal
}

/** One request of a client of git. */
export interface GitRequest {
  readonly source: RepoSource
  readonly body: ReadableStream<Uint8Array> | null
  /** Whether the client asks for version 2 of the protocol. */
  readonly isVersion2: boolean
  readonly signal: AbortSignal
}

interface Started {
  readonly git: GitProcess
  readonly folder: string
}

interface Refused {
  readonly refusals: Refusals
}

/** The two services of git's protocol over HTTP, on the repositories of tenants. */
export class GitService {
  readonly #options: GitServiceOptions

  constructor(options: GitServiceOptions) {
    this.#options = options
  }

  /** The refs that a repository has, and what the service can do. */
  async advertise(service: ServiceName, request: GitRequest): Promise<Result<GitBody, Failure>> {
    const opened = await this.#open(request)
    if (!opened.ok) return opened
    const isVersion2 = service === 'git-upload-pack' && request.isVersion2
    const started = await this.#start(request, opened.value, [
      service.slice('git-'.length),
      ...(service === 'git-upload-pack' ? ['--strict'] : []),
      '--stateless-rpc',
      '--advertise-refs',
    ])
    if (!started.ok) return started
    const prefix = Buffer.concat([packet(`# service=${service}\n`), Buffer.from(FLUSH)])
    return this.#respond(started.value, chunksOf(null), isVersion2 ? undefined : prefix)
  }

  /** Answers a clone or fetch. */
  async uploadPack(request: GitRequest): Promise<Result<GitBody, Failure>> {
    const opened = await this.#open(request)
    if (!opened.ok) return opened
    const args = ['upload-pack', '--strict', '--stateless-rpc']
    const started = await this.#start(request, opened.value, args)
    return started.ok ? this.#respond(started.value, chunksOf(request.body)) : started
  }

  /** Takes a push. */
  async receivePack(request: GitRequest): Promise<Result<GitBody, Failure>> {
    const body = chunksOf(request.body)
    const read = await tryAsync(() => readPushHead(body), unreadBody)
    const head = read.ok ? read.value : read
    if (!head.ok) return head
    // A client finds out with an empty push whether its credential is accepted.
    if (head.value.commands.length === 0) return ok(new Uint8Array())
    const opened = await this.#open(request)
    if (!opened.ok) return opened
    const folder = opened.value
    const turn = await this.#options.pushes.acquire(folder, request.signal)
    if (!turn.ok) return turn
    const quarantine = new Quarantine(folder)
    const started = await this.#startPush(request, folder, head.value, quarantine)
    if (!started.ok) {
      turn.value()
      return started
    }
    if ('refusals' in started.value) {
      turn.value()
      const rest = await tryAsync(() => discard(body), unreadBody)
      return rest.ok ? ok(new Uint8Array(refusedReport(head.value, started.value.refusals))) : rest
    }
    const { git } = started.value
    void git.exited
      .then(() => quarantine.remove())
      .then(() => this.#options.upkeep.after(folder, this.#options.life))
      .finally(turn.value)
    return this.#respond(started.value, joined(head.value.bytes, body))
  }

  /** Starts git for a push that keeps to the rules; else says what is wrong with it. */
  async #startPush(
    request: GitRequest,
    folder: string,
    head: PushHead,
    quarantine: Quarantine,
  ): Promise<Result<Started | Refused, Failure>> {
    const { upkeep, limits } = this.#options
    const { maxPackBytes, maxObjectBytes, maxRepoBytes, maxRefs } = limits
    await upkeep.before(folder)
    const refs = await this.#countRefs(folder, request.signal)
    if (!refs.ok) return refs
    const refusals = refusalsOf(head, maxRefs - refs.value)
    if (refusals.size > 0) return ok({ refusals })
    const space = maxRepoBytes - (await sizeOf(folder))
    const sendsObjects = head.commands.some(({ kind }) => kind !== 'delete')
    if (sendsObjects && space <= 0)
      return ok({
        refusals: new Map(head.commands.map(({ ref }) => [ref, 'the repository is full'])),
      })
    const mostBytes = Math.max(1, Math.min(maxPackBytes, space))
    return this.#start(request, folder, ['receive-pack', '--stateless-rpc'], {
      // A few bytes of a pack can stand for an object of any size. Git refuses to allocate more
      // than this for one, which holds for those alone that it does not stream.
      env: { ...quarantine.env, GIT_ALLOC_LIMIT: String(maxObjectBytes) },
      settings: [
        `receive.maxInputSize=${mostBytes}`,
        `core.bigFileThreshold=${Number.MAX_SAFE_INTEGER}`,
      ],
    })
  }

  async #countRefs(folder: string, signal: AbortSignal): Promise<Result<number, Failure>> {
    const args = [`--git-dir=${folder}`, 'for-each-ref', '--format=%(refname)']
    const listed = await this.#options.git.output(
      { folder, args: [...args, 'refs/heads', 'refs/tags'] },
      signal,
    )
    if (!listed.ok) return err(this.#options.git.unavailable('listing the refs', listed.error))
    const refs = listed.value.toString('utf8').split('\n')
    return ok(refs.filter((ref) => ref !== '' && !ref.startsWith(`${PROTECTED_TAGS}/`)).length)
  }

  #open({ source }: GitRequest): Promise<Result<string, Failure>> {
    return this.#options.repositories.open(source)
  }

  async #start(
    { source, isVersion2, signal }: GitRequest,
    folder: string,
    args: readonly string[],
    more: { readonly env?: GitCall['env']; readonly settings?: readonly string[] } = {},
  ): Promise<Result<Started, Failure>> {
    const { git, processes, limits, life } = this.#options
    const slot = await processes.acquire(source.tenant, signal)
    if (!slot.ok) return slot
    const limit = deadline(AbortSignal.any([signal, life]), limits.timeoutMs, `git ${args[0]}`)
    const protocol = isVersion2 && args[0] === 'upload-pack' ? { GIT_PROTOCOL: 'version=2' } : {}
    const call = { folder, args: [...args, folder], env: { ...protocol, ...more.env } }
    const running = git.start(call, limit.signal, more.settings)
    void running.exited.then(() => {
      limit.clear()
      slot.value()
    })
    return ok({ git: running, folder })
  }

  async #respond(
    { git }: Started,
    body: AsyncIterable<Uint8Array>,
    prefix?: Buffer,
  ): Promise<Result<GitBody, Failure>> {
    const response = await exchange({ git, body, ...(prefix && { prefix }) })
    if (response.ok) return response
    const { error } = response
    switch (error.kind) {
      case 'body':
        return err(error.failure)
      case 'git':
        // Git says 128 to a request that it does not understand.
        return err(
          error.exit.code === 128 && !prefix
            ? failure('VALIDATION_ERROR', 'body: git does not understand this request')
            : this.#options.git.unavailable('git', error.exit),
        )
      default:
        return error satisfies never
    }
  }
}
