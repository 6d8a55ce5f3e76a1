import { resolve } from 'node:path'
import {
  err,
  failure,
  ok,
  type Failure,
  type ModelCall,
  type ModelSource,
  type OutputRedactor,
  type Result,
  type RunContext,
  type Secrets,
} from '@amodal/sdk'
import { nearest } from './difference.ts'
import { CassetteFolder, fileOf } from './folder.ts'
import { playing } from './player.ts'
import { recording } from './recorder.ts'
import { recordedRequest, keyOf } from './request.ts'
import { Scrubber } from './scrubber.ts'
import type { CassetteSettings } from './settings.ts'

/** Opens recordings instead of models, or wraps models in a recorder. */
export class Cassette {
  readonly #settings: CassetteSettings
  readonly #secrets: Secrets
  readonly #outgoing: OutputRedactor | undefined
  readonly #ignore: readonly RegExp[]
  readonly #folders = new Map<string, CassetteFolder>()

  constructor(settings: CassetteSettings, secrets: Secrets, outgoing: OutputRedactor | undefined) {
    this.#settings = settings
    this.#secrets = secrets
    this.#outgoing = outgoing
    this.#ignore = settings.ignore.map((pattern) => new RegExp(pattern, 'g'))
  }

  async open(source: ModelSource, call: ModelCall, ctx: RunContext): Promise<ModelSource> {
    const { mode, pace } = this.#settings
    const folder = this.#folder(ctx)
    if (!folder.ok) return { open: () => folder }
    const scrub = new Scrubber(this.#secrets, this.#outgoing, ctx.redacted)
    const asked = recordedRequest(call, scrub, this.#ignore)
    const key = keyOf(asked)
    if (mode !== 'record') {
      const tape = await folder.value.find(key)
      if (!tape.ok) return { open: () => tape }
      const take = tape.value && folder.value.next(tape.value)
      if (take) return { open: () => ok(playing(take, call.config, pace)) }
      if (mode === 'replay')
        return this.#missing(
          nearest(asked, await folder.value.all()),
          fileOf(key),
          folder.value,
          ctx,
        )
    }
    const keep = async (made: Parameters<CassetteFolder['keep']>[2]): Promise<void> => {
      const kept = await folder.value.keep(key, asked, made)
      if (!kept.ok) ctx.log.error('cassette.not_kept', { error: kept.error.message })
    }
    return {
      open() {
        const model = source.open()
        return model.ok
          ? ok(recording(model.value, { scrub, keep, failures: mode === 'record' }))
          : model
      },
    }
  }

  #missing(like: string, file: string, { path }: CassetteFolder, ctx: RunContext): ModelSource {
    const message = `no recording of this request in ${path} (it would be ${file}); ${like}`
    ctx.log.warn('cassette.miss', { message })
    return { open: () => err(failure('CASSETTE_MISS', message)) }
  }

  #folder({ bundle: { root } }: RunContext): Result<CassetteFolder, Failure> {
    const { folder } = this.#settings
    if (root === undefined && folder !== resolve(folder))
      return err(
        failure(
          'BAD_CONFIG',
          `model-cassette: \`folder\` (${folder}) must be absolute for an agent that has no folder`,
        ),
      )
    const path = root === undefined ? folder : resolve(root, folder)
    const known = this.#folders.get(path) ?? new CassetteFolder(path)
    this.#folders.set(path, known)
    return ok(known)
  }
}
