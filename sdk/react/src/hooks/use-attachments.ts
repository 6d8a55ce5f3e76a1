import { useCallback, useMemo, useState } from 'react'
import { randomKey, type UploadedFile } from '@amodal/sdk/client'
import { useConnection } from '../provider.tsx'

/** A file that goes with the next message. */
export interface Attachment {
  readonly key: string
  readonly name: string
  readonly mediaType: string
  readonly bytes: number
  readonly state:
    | { readonly kind: 'uploading' }
    | { readonly kind: 'ready'; readonly file: UploadedFile }
    | { readonly kind: 'failed'; readonly error: Error }
}

export interface Attachments {
  readonly list: readonly Attachment[]
  /** Those that are uploaded, to be sent. */
  readonly files: readonly UploadedFile[]
  /** None of them is being uploaded, and none has failed. */
  readonly isReady: boolean
  readonly add: (files: Iterable<File>) => void
  readonly remove: (key: string) => void
  /** Empties the list, once its files were sent. */
  readonly clear: () => void
}

/**
 * Files for the next message, uploaded as soon as they are picked.
 *
 * @example
 * const { files, add, clear } = useAttachments()
 * const onSend = () => { send(text, { files }); clear() }
 */
export function useAttachments(): Attachments {
  const { client } = useConnection()
  const [list, setList] = useState<readonly Attachment[]>([])
  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of files) {
        const key = randomKey()
        const { name, type: mediaType, size: bytes } = file
        const settle = (state: Attachment['state']): void =>
          setList((now) => now.map((one) => (one.key === key ? { ...one, state } : one)))
        setList((now) => [...now, { key, name, mediaType, bytes, state: { kind: 'uploading' } }])
        client.upload(file).then(
          (uploaded) => settle({ kind: 'ready', file: uploaded }),
          (cause: unknown) => settle({ kind: 'failed', error: errorOf(cause) }),
        )
      }
    },
    [client],
  )
  const remove = useCallback(
    (key: string) => setList((now) => now.filter((one) => one.key !== key)),
    [],
  )
  const clear = useCallback(() => setList([]), [])
  const files = useMemo(
    () => list.flatMap(({ state }) => (state.kind === 'ready' ? [state.file] : [])),
    [list],
  )
  return { list, files, isReady: files.length === list.length, add, remove, clear }
}

const errorOf = (cause: unknown): Error =>
  cause instanceof Error ? cause : new Error(String(cause))
