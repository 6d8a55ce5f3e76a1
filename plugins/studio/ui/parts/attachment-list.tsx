import { useEffect, useState, type ReactNode } from 'react'
import { saveFile } from '../model/save-file.ts'
import type { Attachment } from '../model/attachments.ts'
import type { Server } from '../model/server.ts'
import type { SessionFile } from '../model/timeline.ts'
import { STRINGS } from '../strings.ts'
import { Icon } from './icons.tsx'

/** The files that go with the message that is being written. */
export function AttachmentList({
  list,
  onRemove,
}: {
  readonly list: readonly Attachment[]
  readonly onRemove: (key: string) => void
}): ReactNode {
  if (list.length === 0) return null
  const { attachments } = STRINGS
  return (
    <ul className="attachments" aria-label={attachments.title}>
      {list.map(({ key, name, bytes, state }) => (
        <li key={key} data-state={state.kind}>
          <Icon name="file" />
          <span className="title">{name || attachments.unnamed}</span>
          <small>{state.kind === 'failed' ? state.problem : sizeOf(bytes)}</small>
          <button
            type="button"
            className="quiet"
            aria-label={`${attachments.remove} ${name}`}
            onClick={() => onRemove(key)}
          >
            <Icon name="cross" />
          </button>
        </li>
      ))}
    </ul>
  )
}

/** The files that went with a message: pictures are shown, others can be saved. */
export function SentFiles({
  server,
  files,
}: {
  readonly server: Server
  readonly files: readonly SessionFile[]
}): ReactNode {
  if (files.length === 0) return null
  return (
    <ul className="sent-files">
      {files.map((file) => (
        <li key={file.id}>
          <SentFile server={server} file={file} />
        </li>
      ))}
    </ul>
  )
}

function SentFile({
  server,
  file: { id, name, media_type: type, bytes },
}: {
  readonly server: Server
  readonly file: SessionFile
}): ReactNode {
  const isPicture = /^image\/(png|jpeg|gif|webp)$/.test(type)
  const [address, setAddress] = useState<string>()
  const [isGone, setGone] = useState(false)
  useEffect(() => {
    if (!isPicture) return
    let url: string | undefined
    let isOver = false
    server.download(id).then(
      (blob) => {
        if (isOver) return
        url = URL.createObjectURL(blob)
        setAddress(url)
      },
      () => setGone(true),
    )
    return () => {
      isOver = true
      if (url !== undefined) URL.revokeObjectURL(url)
    }
  }, [server, id, isPicture])
  const title = name ?? type
  if (isPicture && address !== undefined)
    return <img className="picture" src={address} alt={title} />
  const save = async (): Promise<void> => {
    try {
      saveFile(await server.download(id), title)
    } catch {
      setGone(true)
    }
  }
  return (
    <button type="button" className="file" disabled={isGone} onClick={() => void save()}>
      <Icon name="file" />
      <span className="title">{title}</span>
      <small>{isGone ? STRINGS.attachments.gone : sizeOf(bytes)}</small>
    </button>
  )
}

const UNITS = ['B', 'KB', 'MB', 'GB'] as const

/** Bytes as people read them, such as `12 KB`. */
export function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return `${(bytes / 1000 ** power).toFixed(power > 1 ? 1 : 0)} ${UNITS[power] ?? ''}`
}
