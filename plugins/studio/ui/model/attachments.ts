import { randomKey } from '@amodal/sdk/client'
import { useCallback, useState } from 'react'
import type { UploadedFile } from '@amodal/sdk/client'
import { problemOf, type Server } from './server.ts'

/** A file that goes with the next message. */
export interface Attachment {
  readonly key: string
  readonly name: string
  readonly mediaType: string
  readonly bytes: number
  readonly state:
    | { readonly kind: 'uploading' }
    | { readonly kind: 'ready'; readonly file: UploadedFile }
    | { readonly kind: 'failed'; readonly problem: string }
}

export interface Attachments {
  readonly list: readonly Attachment[]
  /** None of them is on its way, and none has failed. */
  readonly isReady: boolean
  readonly add: (files: Iterable<File>) => void
  readonly remove: (key: string) => void
  /** The uploaded ones; the list is empty afterwards. */
  readonly flush: () => readonly UploadedFile[]
}

/** Files are uploaded as soon as they are picked, so that sending waits for none of them. */
export function useAttachments(server: Server): Attachments {
  const [list, setList] = useState<readonly Attachment[]>([])
  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of files) {
        const key = randomKey()
        const { name, type: mediaType, size: bytes } = file
        const settle = (state: Attachment['state']): void =>
          setList((now) => now.map((one) => (one.key === key ? { ...one, state } : one)))
        setList((now) => [...now, { key, name, mediaType, bytes, state: { kind: 'uploading' } }])
        server.upload(file).then(
          (uploaded) => settle({ kind: 'ready', file: uploaded }),
          (cause: unknown) => settle({ kind: 'failed', problem: problemOf(cause) }),
        )
      }
    },
    [server],
  )
  const remove = useCallback(
    (key: string) => setList((now) => now.filter((one) => one.key !== key)),
    [],
  )
  return {
    list,
    isReady: list.every(({ state }) => state.kind === 'ready'),
    add,
    remove,
    flush() {
      setList([])
      return list.flatMap(({ state }) => (state.kind === 'ready' ? [state.file] : []))
    },
  }
}
