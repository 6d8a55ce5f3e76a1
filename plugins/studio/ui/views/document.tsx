import type { JsonObject } from '@amodal/sdk'
import { useCallback, useEffect, useState, type ReactNode } from 'react'
import { plainText } from '../model/exact.ts'
import { addressOf, go } from '../model/route.ts'
import { saveDocument, type Refusal } from '../model/save-document.ts'
import { problemOf, type StoredDocument } from '../model/server.ts'
import {
  columnsOf,
  labelOf,
  titleField,
  valueAt,
  type Field,
  type StoreInfo,
  type StoresApi,
} from '../model/stores.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { DocumentDiff, DocumentHistory } from '../parts/document-history.tsx'
import { DocumentForm } from '../parts/document-form.tsx'
import { EntityValue } from '../parts/entity-value.tsx'
import { Icon } from '../parts/icons.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status } from '../parts/status.tsx'
import { STRINGS } from '../strings.ts'
import { useReport } from './use-report.ts'

export interface StoreDocumentProps {
  readonly api: StoresApi
  readonly info: StoreInfo
  readonly documentKey: string
  /** The newest change of the store's documents. */
  readonly change: number | undefined
  readonly isEdited: boolean
}

/** One document as a page: its fields, its history, and a form to edit it. */
export function StoreDocument(props: StoreDocumentProps): ReactNode {
  const { api, info, documentKey, change, isEdited } = props
  const { name: store } = info
  const ask = useCallback(() => api.document(store, documentKey), [api, store, documentKey])
  const { value, problem, refresh } = useReport(ask)
  useEffect(() => {
    if (change !== undefined) refresh()
  }, [change])
  const [isGone, setGone] = useState(false)
  return (
    <section className="view document-view" aria-labelledby="document-title">
      <Head {...props} document={value?.document} onGone={() => setGone(true)} />
      {problem !== undefined && !isGone && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {!value && problem === undefined && <Skeleton />}
      {value && isEdited && info.access.write && (
        <Editor {...{ api, info }} newest={value.document} onSaved={refresh} />
      )}
      {value && !isEdited && (
        <>
          <Fields info={info} document={value.document} />
          <DocumentHistory
            {...{ info }}
            current={value.document}
            earlier={value.history}
            onRestore={
              info.access.write
                ? async ({ payload }) => {
                    const saved = await saveDocument(api, store, payload, value.document.version)
                    refresh()
                    return 'key' in saved ? undefined : saved.message
                  }
                : undefined
            }
          />
        </>
      )}
    </section>
  )
}

function Head({
  api,
  info,
  documentKey,
  isEdited,
  document,
  onGone,
}: StoreDocumentProps & {
  readonly document: StoredDocument | undefined
  readonly onGone: () => void
}): ReactNode {
  const { name: store, access } = info
  const title = titleField(columnsOf(info.schema))
  const name = document && title && valueAt(document.payload, title.name)
  const text = STRINGS.document
  const here = { view: 'store', store, key: documentKey } as const
  const remove = async (): Promise<void> => {
    await api.remove(store, documentKey)
    onGone()
    go({ view: 'store', store, query: '' })
  }
  return (
    <header className="document-head">
      <a className="crumb" href={addressOf({ view: 'store', store, query: '' })}>
        {labelOf(store)}
      </a>
      <h2 id="document-title">{typeof name === 'string' ? name : documentKey}</h2>
      <p className="muted about">
        <code>{documentKey}</code>
        {document && (
          <>
            <span>{text.version(document.version)}</span>
            <time dateTime={document.meta.computedAt}>
              {new Date(document.meta.computedAt).toLocaleString()}
            </time>
            {document.meta.expiresAt !== undefined && !document.meta.stale && (
              <span>
                {text.expires} {new Date(document.meta.expiresAt).toLocaleString()}
              </span>
            )}
            {document.meta.stale && <Status tone="warn">{text.stale}</Status>}
          </>
        )}
      </p>
      {document && !isEdited && (
        <div className="tools">
          <CopyButton
            text={JSON.stringify(document.payload, null, 2)}
            label={STRINGS.stores.copyRow}
          />
          {access.write && (
            <a className="button" href={addressOf({ ...here, query: 'edit=1' })}>
              <Icon name="pencil" />
              {text.edit}
            </a>
          )}
          {access.delete && <Remove onRemove={remove} />}
        </div>
      )}
    </header>
  )
}

function Remove({ onRemove }: { readonly onRemove: () => Promise<void> }): ReactNode {
  const [isAsked, setAsked] = useState(false)
  const [problem, setProblem] = useState<string>()
  const text = STRINGS.document
  const remove = (): void => {
    setAsked(false)
    onRemove().catch((cause: unknown) => setProblem(problemOf(cause)))
  }
  if (isAsked)
    return (
      <div className="sure" role="group" aria-label={text.sure}>
        <span>{text.sure}</span>
        <button type="button" className="danger" autoFocus onClick={remove}>
          {text.remove}
        </button>
        <button type="button" onClick={() => setAsked(false)}>
          {text.back}
        </button>
      </div>
    )
  return (
    <>
      <button type="button" onClick={() => setAsked(true)}>
        <Icon name="trash" />
        {text.remove}
      </button>
      {problem !== undefined && (
        <span className="bad" role="alert">
          {problem}
        </span>
      )}
    </>
  )
}

function Fields({
  info: { schema },
  document: { payload },
}: {
  readonly info: StoreInfo
  readonly document: StoredDocument
}): ReactNode {
  const others = Object.keys(payload).filter((name) => !Object.hasOwn(schema, name))
  const fields: readonly (readonly [string, Field])[] = [
    ...Object.entries(schema),
    ...others.map((name) => [name, { type: 'string' }] as const),
  ]
  return (
    <dl className="entity-fields">
      {fields.map(([name, field]) => {
        const value = payload[name]
        const target = field.type === 'ref' && typeof value === 'string' ? field.store : undefined
        const shown = <EntityValue value={value} type={field.type} isWhole />
        return (
          <div key={name}>
            <dt title={field.description}>{labelOf(name)}</dt>
            <dd>
              {target === undefined ? (
                shown
              ) : (
                <a
                  href={addressOf({
                    view: 'store',
                    store: target,
                    key: plainText(value),
                    query: '',
                  })}
                >
                  {shown}
                </a>
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

/** Edits the version that was there when it was opened; a newer one is shown, never lost. */
function Editor({
  api,
  info,
  newest,
  onSaved,
}: {
  readonly api: StoresApi
  readonly info: StoreInfo
  readonly newest: StoredDocument
  readonly onSaved: () => void
}): ReactNode {
  const [base, setBase] = useState(newest)
  const [edited, setEdited] = useState<JsonObject>()
  const [refusal, setRefusal] = useState<Refusal>()
  const { name: store } = info
  const leave = (key = base.key): void => go({ view: 'store', store, key, query: '' })
  const save = async (payload: JsonObject, version: number): Promise<void> => {
    setEdited(payload)
    const saved = await saveDocument(api, store, payload, version)
    onSaved()
    if ('key' in saved) leave(saved.key)
    else setRefusal(saved)
  }
  const text = STRINGS.document
  const isOvertaken = newest.version !== base.version
  return (
    <DocumentForm
      key={base.version}
      {...{ info, refusal }}
      initial={base.payload}
      isNew={false}
      onSave={(payload) => save(payload, base.version)}
      onDiscard={() => leave()}
    >
      {isOvertaken && (
        <div className="conflict" role="alert">
          <p className="note warning">{text.conflict}</p>
          <h3>{text.changedTo}</h3>
          <DocumentDiff info={info} before={base} after={newest} />
          {refusal?.isConflict === true && (
            <div className="tools">
              <button type="button" onClick={() => void save(edited ?? {}, newest.version)}>
                {text.overwrite}
              </button>
              <button
                type="button"
                onClick={() => {
                  setRefusal(undefined)
                  setBase(newest)
                }}
              >
                {text.takeNewest}
              </button>
            </div>
          )}
        </div>
      )}
    </DocumentForm>
  )
}
