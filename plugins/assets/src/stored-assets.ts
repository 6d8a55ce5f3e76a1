import {
  err,
  failure,
  ok,
  type Asset,
  type AssetInput,
  type AssetRef,
  type AssetUpload,
  type Attachment,
  type Clock,
  type Failure,
  type InlineAsset,
  type PrincipalId,
  type Result,
  type TenantAssets,
} from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'
import { contentType } from './content-type.ts'
import { AssetDamaged, AssetTooLarge } from './errors.ts'
import { readIncoming } from './incoming.ts'
import type { AssetSettings } from './settings.ts'
import type { Claim, AssetRecords } from './asset-records.ts'

/** Characters of a name. */
const MOST_NAME = 200
const HASH = /^[0-9a-f]{64}$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Files of one tenant: what comes in is checked here, whatever way it comes. */
export class StoredAssets implements TenantAssets {
  readonly #records: AssetRecords
  readonly #settings: AssetSettings
  readonly #clock: Pick<Clock, 'now'>

  constructor(records: AssetRecords, settings: AssetSettings, clock: Pick<Clock, 'now'>) {
    this.#records = records
    this.#settings = settings
    this.#clock = clock
  }

  async keep(
    principal: PrincipalId,
    { body, mediaType = '', name, hash }: AssetUpload,
    signal: AbortSignal,
  ): Promise<Result<Asset, Failure>> {
    const read = await readIncoming(body, this.#settings.maxFileBytes, signal)
    if (!read.ok) return read
    if (hash !== undefined && hash.toLowerCase() !== read.value.hash)
      return err(AssetDamaged(`the bytes that came have the SHA-256 ${read.value.hash}`))
    const type = await contentType(read.value.bytes, mediaType, this.#settings.types)
    if (!type.ok) return type
    const { maxImageBytes } = this.#settings
    if (type.value.startsWith('image/') && read.value.bytes.byteLength > maxImageBytes)
      return err(AssetTooLarge(`an image has at most ${maxImageBytes} bytes (maxImageBytes)`))
    const claim = { asset: read.value.hash, mediaType: type.value, name: cleanName(name) ?? null }
    const put = await this.#records.put(principal, claim, read.value.bytes, signal)
    return put.ok
      ? ok(assetOf({ ...claim, bytes: read.value.bytes.byteLength, usedAt: this.#clock.now() }))
      : put
  }

  async find(
    asset: string,
    only: PrincipalId | undefined,
    signal: AbortSignal,
  ): Promise<Result<Asset | undefined, Failure>> {
    if (!HASH.test(asset)) return ok(undefined)
    const claim = await this.#records.claim(asset, only, signal)
    return claim.ok ? ok(claim.value && assetOf(claim.value)) : claim
  }

  async read(asset: string, signal: AbortSignal): Promise<Result<Uint8Array | undefined, Failure>> {
    return HASH.test(asset) ? this.#records.bytes(asset, signal) : ok(undefined)
  }

  async remove(
    asset: string,
    principal: PrincipalId,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>> {
    return HASH.test(asset) ? this.#records.release(asset, principal, signal) : ok(false)
  }

  async attach(
    files: readonly AssetInput[],
    to: Attachment,
    signal: AbortSignal,
  ): Promise<Result<readonly AssetRef[], Failure>> {
    const { maxPerMessage, maxMessageBytes } = this.#settings
    if (files.length > maxPerMessage)
      return err(
        failure('VALIDATION_ERROR', `assets: at most ${maxPerMessage} files in one message`),
      )
    const refs: AssetRef[] = []
    let room = maxMessageBytes
    for (const [at, file] of files.entries()) {
      const found = await this.#found(file, to, signal)
      if (!found.ok) return err({ ...found.error, message: `assets.${at}: ${found.error.message}` })
      room -= found.value.bytes
      if (room < 0)
        return err(
          AssetTooLarge(
            `assets: the files of one message have at most ${maxMessageBytes} bytes (maxMessageBytes)`,
          ),
        )
      refs.push(found.value)
    }
    const held = await this.#hold(refs, to, signal)
    if (!held.ok) return held
    return held.value.length === 0 ? ok(refs) : err(noFile())
  }

  async hold(
    assets: readonly AssetRef[],
    by: Pick<Attachment, 'principal' | 'session'>,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    const held = await this.#hold(assets, by, signal)
    return held.ok ? ok(undefined) : held
  }

  /** @returns those that were deleted meanwhile */
  #hold(
    assets: readonly AssetRef[],
    by: Pick<Attachment, 'principal' | 'session'>,
    signal: AbortSignal,
  ): Promise<Result<readonly string[], Failure>> {
    // Those whose bytes stand in the journal itself need nobody to keep them.
    const claims = assets
      .filter(({ data }) => data === undefined)
      .map(({ asset, mediaType, name = null }) => ({ asset, mediaType, name }))
    return this.#records.hold(claims, by, signal)
  }

  async #found(
    file: AssetInput,
    { principal, only }: Attachment,
    signal: AbortSignal,
  ): Promise<Result<AssetRef, Failure>> {
    if (!('asset' in file)) {
      const upload = this.#inline(file)
      const stored = upload.ok ? await this.keep(principal, upload.value, signal) : upload
      return stored.ok ? ok(refOf(stored.value)) : stored
    }
    const found = await this.find(file.asset, only, signal)
    if (!found.ok) return found
    return found.value
      ? ok(refOf({ ...found.value, ...named(cleanName(file.name) ?? found.value.name) }))
      : err(noFile())
  }

  #inline({ data, mediaType, name }: InlineAsset): Result<AssetUpload, Failure> {
    const { maxFileBytes } = this.#settings
    if (data.length > Math.ceil(maxFileBytes / 3) * 4)
      return err(AssetTooLarge(`a file has at most ${maxFileBytes} bytes (maxFileBytes)`))
    if (!BASE64.test(data)) return err(failure('VALIDATION_ERROR', 'data: must be base64'))
    return ok({
      body: once(Buffer.from(data, 'base64')),
      ...(mediaType !== undefined && { mediaType }),
      ...named(name),
    })
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes
}

const noFile = (): Failure => failure('ASSET_NOT_FOUND', 'there is no such file')

const named = (name: string | undefined) => (name === undefined ? {} : { name })

const assetOf = ({ name, ...claim }: Claim): Asset => ({ ...claim, ...named(name ?? undefined) })

const refOf = ({ asset, mediaType, bytes, name }: Asset): AssetRef => ({
  asset,
  mediaType,
  bytes,
  ...named(name),
})

/** One line, without a path. */
function cleanName(name: string | undefined): string | undefined {
  const last = (name ?? '').toWellFormed().split(/[/\\]/).at(-1) ?? ''
  const clean = last.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return clean === '' ? undefined : textStart(clean, MOST_NAME)
}
