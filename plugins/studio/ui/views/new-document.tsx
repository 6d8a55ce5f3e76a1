import { useMemo, useState, type ReactNode } from 'react'
import type { JsonObject } from '@amodal/sdk'
import { addressOf, go } from '../model/route.ts'
import { labelOf, type StoreInfo, type StoresApi } from '../model/stores.ts'
import { saveDocument, type Refusal } from '../model/save-document.ts'
import { DocumentForm } from '../parts/document-form.tsx'
import { STRINGS } from '../strings.ts'

/** A form for a document that is not there yet. */
export function NewDocument({
  api,
  info,
}: {
  readonly api: StoresApi
  readonly info: StoreInfo
}): ReactNode {
  const [refusal, setRefusal] = useState<Refusal>()
  const { name: store, entity } = info
  const initial = useMemo((): JsonObject => ({}), [])
  const save = async (payload: JsonObject): Promise<void> => {
    const saved = await saveDocument(api, store, payload, 0)
    if ('key' in saved) go({ view: 'store', store, key: saved.key, query: '' })
    else setRefusal(saved)
  }
  return (
    <section className="view document-view" aria-labelledby="document-title">
      <header className="document-head">
        <a className="crumb" href={addressOf({ view: 'store', store, query: '' })}>
          {labelOf(store)}
        </a>
        <h2 id="document-title">{STRINGS.document.formOf(entity)}</h2>
      </header>
      <DocumentForm
        {...{ info, initial, refusal }}
        isNew
        onSave={save}
        onDiscard={() => go({ view: 'store', store, query: '' })}
      >
        {refusal?.isConflict === true && (
          <p className="note error" role="alert">
            {STRINGS.document.exists}
          </p>
        )}
      </DocumentForm>
    </section>
  )
}
