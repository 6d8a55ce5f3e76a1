import {
  type AssetRef,
  err,
  failure,
  type Failure,
  type Message,
  type ModelCall,
  ok,
  type Result,
  wrapUntrusted,
} from '@amodal/sdk'
import { AssetStore, callStore, assetOf, describeAsset, isTextType } from '@amodal/sdk/loop'
import type { LoopTurn } from '../run/loop-turn.ts'
import { isAcceptedType, typeRefusal, acceptedTypes } from './accepted-types.ts'

type UserMessage = Extract<Message, { role: 'user' }>
type UserPart = UserMessage['content'][number]
type Files = ReadonlyMap<UserPart, AssetRef>

/** The cache of one turn: files as they were first read, and the filled messages. */
interface Read {
  readonly bytes: Map<string, Uint8Array | undefined>
  readonly messages: WeakMap<Message, { readonly key: string; readonly message: Message }>
}
const readOf = new WeakMap<LoopTurn, Read>()

/**
 * Fills in the bytes of files, which the history only references. Texts are sent as text. Files
 * that are deleted, unsupported or too large are replaced by a note; an unsupported file of the
 * newest message is an error.
 */
export async function withFiles(
  call: ModelCall,
  turn: LoopTurn,
): Promise<Result<ModelCall, Failure>> {
  const { messages, config } = call
  const { generation } = turn.parts
  const newest = messages.findLast(({ role }) => role === 'user')
  const all = messages.map(filesOf)
  if (all.every(({ size }) => size === 0)) return ok(call)
  const refused = newest && typeRefusal(config, [...filesOf(newest).values()], generation)
  if (refused) return err(refused)

  const types = acceptedTypes(config, generation)
  const filledMessages = [...messages]
  let room = turn.parts.settings.fileBytes
  for (const [at, files] of [...all.entries()].reverse()) {
    const message = messages[at]
    if (message?.role !== 'user' || files.size === 0) continue
    const { why, bytes } = omittedFiles(files, types, room)
    room -= bytes
    const filled = await fill(message, files, why, turn)
    if (!filled.ok) return filled
    filledMessages[at] = filled.value
  }
  return ok({ ...call, messages: filledMessages })
}

/** The reasons why files are omitted, and the bytes of those that are sent. */
function omittedFiles(
  files: Files,
  types: readonly string[],
  room: number,
): { readonly why: ReadonlyMap<UserPart, string>; readonly bytes: number } {
  const why = new Map<UserPart, string>()
  let sent = 0
  for (const [part, { bytes, mediaType }] of files) {
    if (!isAcceptedType(mediaType, types)) why.set(part, 'you cannot read files of this type')
    else if (sent + bytes > room)
      why.set(part, 'it is left out, since newer files take all the room')
    else sent += bytes
  }
  return { why, bytes: sent }
}

const filesOf = (message: Message): Files =>
  new Map(
    message.role === 'user'
      ? message.content.flatMap((part) => {
          const file = assetOf(part)
          return file ? [[part, file] as const] : []
        })
      : [],
  )

/** Returns the same object for an unchanged message, since providers cache by its identity. */
async function fill(
  message: UserMessage,
  files: Files,
  why: ReadonlyMap<UserPart, string>,
  turn: LoopTurn,
): Promise<Result<Message, Failure>> {
  const read = readOf.get(turn) ?? { bytes: new Map(), messages: new WeakMap() }
  readOf.set(turn, read)
  const key = message.content.map((part) => why.get(part) ?? '').join('\n')
  const known = read.messages.get(message)
  if (known?.key === key) return ok(known.message)
  const content: UserPart[] = []
  for (const part of message.content) {
    const file = files.get(part)
    const reason = why.get(part)
    if (!file) content.push(part)
    else if (reason !== undefined) content.push(absent(file, reason))
    else {
      const bytes = await bytesOf(file, read, turn)
      if (!bytes.ok) return bytes
      content.push(bytes.value ? present(file, bytes.value) : absent(file, 'it was deleted'))
    }
  }
  const filled: Message = { ...message, content }
  read.messages.set(message, { key, message: filled })
  return ok(filled)
}

/** A turn uses the bytes that it read first, even if the file is deleted meanwhile. */
async function bytesOf(
  { asset }: AssetRef,
  { bytes }: Read,
  turn: LoopTurn,
): Promise<Result<Uint8Array | undefined, Failure>> {
  if (bytes.has(asset)) return ok(bytes.get(asset))
  const { generation, ref, settings } = turn.parts
  const store = generation.scope.find(AssetStore)
  const read = store
    ? await callStore(
        settings.storeMs,
        (limit) => store.of(ref.tenant).read(asset, limit),
        turn.signal,
      )
    : err(failure('ASSET_NOT_FOUND', 'no plugin stores files any more: add `assets` again'))
  if (read.ok) bytes.set(asset, read.value)
  return read
}

function present(file: AssetRef, data: Uint8Array): UserPart {
  const { mediaType, name } = file
  // The sender of a text file is rarely its author, so the text is wrapped as untrusted.
  if (isTextType(mediaType))
    return {
      type: 'text',
      text: `File ${describeAsset(file)}:\n${wrapUntrusted(Buffer.from(data).toString('utf8'), name ?? 'file')}`,
    }
  return {
    type: 'file',
    mediaType,
    ...(name !== undefined && { filename: name }),
    data: { type: 'data', data: Buffer.from(data).toString('base64') },
  }
}

const absent = (file: AssetRef, why: string): UserPart => ({
  type: 'text',
  text: `[The file ${describeAsset(file)} is not here: ${why}]`,
})
