import {
  failure,
  mapTexts,
  type Caller,
  type Clock,
  type Failure,
  type OutputRedactor,
  type Result,
} from '@amodal/sdk'
import type { ArtifactLinks } from './artifact-links.ts'
import type { ArtifactRow, ArtifactTable } from './artifact-table.ts'
import { artifactView } from './artifact-view.ts'
import { failedReply, NO_ARTIFACT, replied, type RunReply } from './run-reply.ts'
import type { LinkRequest } from './run-request.ts'
import type { RunRow } from './run-table.ts'

interface ArtifactParts {
  readonly artifacts: ArtifactTable
  readonly clock: Pick<Clock, 'now'>
  readonly links: ArtifactLinks
  /** Seconds that a link is good for at most, and where nobody says less. */
  readonly linkSeconds: number
  readonly redactor: () => OutputRedactor | undefined
}

/** The content of an artifact as a file. */
export interface Download {
  readonly name: string
  readonly type: 'text/markdown' | 'application/json'
  readonly text: string
}

/** What callers can do with artifacts, over whatever protocol they come. */
export class ArtifactService {
  readonly #parts: ArtifactParts

  constructor(parts: ArtifactParts) {
    this.#parts = parts
  }

  async get(
    caller: Caller,
    id: string,
    asked: {
      readonly version?: number | undefined
      readonly include_versions?: boolean | undefined
    },
  ): Promise<RunReply> {
    const { artifacts, redactor } = this.#parts
    const found = await this.#find(caller, id, asked.version)
    if (!found.ok) return failedReply(found.error)
    if (!found.value) return NO_ARTIFACT
    const versions = asked.include_versions
      ? await artifacts.versions(caller.tenant, id)
      : undefined
    if (versions?.ok === false) return failedReply(versions.error)
    return replied({
      artifact: artifactView(found.value, redactor()),
      ...(versions && {
        versions: versions.value.map(({ version, title, hash, session, created_at }) => ({
          version,
          title: this.#shown(title),
          content_hash: `sha256:${hash}`,
          session_id: session,
          created_at: created_at.toISOString(),
        })),
      }),
    })
  }

  /** What a run wrote, of each artifact its last version, the newest first. */
  async ofRun({ session }: RunRow, { tenant }: Pick<Caller, 'tenant'>): Promise<RunReply> {
    const found = await this.#parts.artifacts.ofSession(tenant, session)
    if (!found.ok) return failedReply(found.error)
    return replied({
      session_id: session,
      artifacts: found.value.map(({ id, version, type, title, hash, created_at }) => ({
        id,
        version,
        type,
        title: this.#shown(title),
        content_hash: `sha256:${hash}`,
        created_at: created_at.toISOString(),
      })),
    })
  }

  /**
   * A link for somebody without a credential.
   *
   * @param origin of the request
   */
  async link(caller: Caller, id: string, asked: LinkRequest, origin: string): Promise<RunReply> {
    const { clock, links, linkSeconds } = this.#parts
    const seconds = asked.expires_in_seconds ?? linkSeconds
    if (seconds > linkSeconds)
      return failedReply(
        failure('VALIDATION_ERROR', `expires_in_seconds: must be at most ${linkSeconds}`),
      )
    const found = await this.#find(caller, id, asked.version)
    if (!found.ok) return failedReply(found.error)
    if (!found.value) return NO_ARTIFACT
    const { version } = found.value
    const expires = Math.floor(clock.now() / 1_000 + seconds) * 1_000
    const url = links.make({ tenant: caller.tenant, id, version }, expires, origin)
    return url.ok
      ? replied({ id, version, url: url.value, expires_at: new Date(expires).toISOString() })
      : failedReply(url.error)
  }

  /**
   * The link of the last artifact that an ended run wrote: the same whenever it is asked for.
   *
   * @returns `undefined` where there is nothing to link
   */
  async linkOf(row: RunRow, caller: Caller, id: string): Promise<string | undefined> {
    if (!row.webhook_link || !row.ended_at) return undefined
    const found = await this.#find(caller, id)
    if (!found.ok || !found.value) return undefined
    const expires = row.ended_at.getTime() + this.#parts.linkSeconds * 1_000
    const { version } = found.value
    const url = this.#parts.links.make({ tenant: caller.tenant, id, version }, expires)
    return url.ok ? url.value : undefined
  }

  /** What a link opens; `undefined` for one that opens nothing, whatever the reason. */
  async download(token: string): Promise<Result<Download | undefined, Failure>> {
    const linked = this.#parts.links.read(token)
    if (!linked) return { ok: true, value: undefined }
    const found = await this.#parts.artifacts.find(linked.tenant, linked.id, linked.version)
    if (!found.ok) return found
    return { ok: true, value: found.value && this.#fileOf(found.value) }
  }

  #fileOf(row: ArtifactRow): Download {
    const { markdown, json, title, id } = row
    const name = this.#shown(title) || id
    if (markdown !== null)
      return { name: `${name}.md`, type: 'text/markdown', text: this.#shown(markdown) }
    const text = JSON.stringify(
      mapTexts(json, (value) => this.#shown(value)),
      undefined,
      2,
    )
    return { name: `${name}.json`, type: 'application/json', text }
  }

  async #find(
    { tenant, ownSessionsOnly = false, principal }: Caller,
    id: string,
    version?: number,
  ): Promise<Result<ArtifactRow | undefined, Failure>> {
    const found = await this.#parts.artifacts.find(tenant, id, version)
    if (!found.ok) return found
    const row = found.value
    const isTheirs = row !== undefined && (!ownSessionsOnly || row.principal === principal)
    return { ok: true, value: isTheirs ? row : undefined }
  }

  /** Restricted values are taken out of what is shown. */
  #shown(text: string): string {
    return this.#parts.redactor()?.text(text) ?? text
  }
}
