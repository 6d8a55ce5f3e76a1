import type { Json } from '@amodal/sdk'
import { useState, type ReactNode } from 'react'
import type { StoredDocument } from '../model/server.ts'
import { columnsOf, labelOf, valueAt, type StoreInfo } from '../model/stores.ts'
import { STRINGS } from '../strings.ts'
import { EntityValue } from './entity-value.tsx'

export interface DocumentHistoryProps {
  readonly info: StoreInfo
  readonly current: StoredDocument
  /** The newest first. */
  readonly earlier: readonly StoredDocument[]
  /** Writes an older version as the newest; the text is why it could not. */
  readonly onRestore: ((version: StoredDocument) => Promise<string | undefined>) | undefined
}

/** Versions of a document, two of them side by side. */
export function DocumentHistory(props: DocumentHistoryProps): ReactNode {
  const { info, current, earlier, onRestore } = props
  const versions = [current, ...earlier]
  const [older, setOlder] = useState<number>()
  const [newer, setNewer] = useState<number>()
  const [problem, setProblem] = useState<string>()
  const after = versions.find(({ version }) => version === newer) ?? current
  const before =
    versions.find(({ version }) => version === older) ??
    versions.find(({ version }) => version < after.version)
  const text = STRINGS.document
  return (
    <section className="document-history" aria-labelledby="history-title">
      <h3 id="history-title">{text.history}</h3>
      {!before && <p className="muted">{info.history === 0 ? text.notStored : text.noHistory}</p>}
      {before && (
        <>
          <div className="compare">
            <VersionPicker
              label={text.compare}
              {...{ versions, current }}
              value={before.version}
              onPick={setOlder}
            />
            <VersionPicker
              label={text.with}
              {...{ versions, current }}
              value={after.version}
              onPick={setNewer}
            />
            {onRestore && before.version !== current.version && (
              <button type="button" onClick={() => void onRestore(before).then(setProblem)}>
                {text.restore(before.version)}
              </button>
            )}
          </div>
          {problem !== undefined && (
            <p className="note error" role="alert">
              {problem}
            </p>
          )}
          <DocumentDiff {...{ info, before, after }} />
        </>
      )}
    </section>
  )
}

function VersionPicker({
  label,
  versions,
  current,
  value,
  onPick,
}: {
  readonly label: string
  readonly versions: readonly StoredDocument[]
  readonly current: StoredDocument
  readonly value: number
  readonly onPick: (version: number) => void
}): ReactNode {
  const text = STRINGS.document
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onPick(Number(target.value))}>
        {versions.map(({ version, meta }) => (
          <option key={version} value={version}>
            {text.version(version)}
            {version === current.version ? ` (${text.current})` : ''}
            {`, ${new Date(meta.computedAt).toLocaleString()}`}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Fields in which two versions differ, side by side. */
export function DocumentDiff({
  info,
  before,
  after,
}: {
  readonly info: StoreInfo
  readonly before: StoredDocument
  readonly after: StoredDocument
}): ReactNode {
  const text = STRINGS.document
  const columns = columnsOf(info.schema)
  const changed = columns.filter(
    ({ name }) => !isSame(valueAt(before.payload, name), valueAt(after.payload, name)),
  )
  if (changed.length === 0) return <p className="muted">{text.same}</p>
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={text.compare}>
      <table className="versions">
        <thead>
          <tr>
            <th scope="col">{text.field}</th>
            <th scope="col">{text.version(before.version)}</th>
            <th scope="col">{text.version(after.version)}</th>
          </tr>
        </thead>
        <tbody>
          {changed.map(({ name, field: { type } }) => (
            <tr key={name}>
              <th scope="row">{labelOf(name)}</th>
              <td className="removed">
                <EntityValue value={valueAt(before.payload, name)} type={type} isWhole />
              </td>
              <td className="added">
                <EntityValue value={valueAt(after.payload, name)} type={type} isWhole />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
