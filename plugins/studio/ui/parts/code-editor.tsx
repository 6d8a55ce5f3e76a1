import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { markdown } from '@codemirror/lang-markdown'
import { python } from '@codemirror/lang-python'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting, type LanguageSupport } from '@codemirror/language'
import { setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { basicSetup, EditorView } from 'codemirror'
import { useEffect, useRef, type ReactNode } from 'react'

export interface CodeEditorProps {
  readonly path: string
  readonly text: string
  readonly label: string
  /** What is wrong with what was saved last, and where. */
  readonly problem: { readonly line: number; readonly message: string } | undefined
  readonly onChange: (text: string) => void
  readonly onSave: () => void
}

/**
 * An editor for one file. It stands in a shadow tree, since it brings its styles as objects, and
 * the page allows no style elements.
 */
export default function CodeEditor({
  path,
  text,
  label,
  problem,
  onChange,
  onSave,
}: CodeEditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView>(undefined)
  const listeners = useRef({ onChange, onSave })
  listeners.current = { onChange, onSave }
  useEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          basicSetup,
          languageOf(path),
          THEME,
          syntaxHighlighting(COLOURS),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          keymap.of([
            {
              key: 'Mod-s',
              run() {
                listeners.current.onSave()
                return true
              },
            },
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) listeners.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    editor.current = view
    view.focus()
    return () => view.destroy()
  }, [path])
  useEffect(() => {
    const view = editor.current
    if (!view) return
    view.dispatch(setDiagnostics(view.state, problem ? [diagnosticOf(view.state, problem)] : []))
  }, [problem])
  return <div ref={host} className="code-editor" />
}

function diagnosticOf(
  { doc }: EditorState,
  { line, message }: NonNullable<CodeEditorProps['problem']>,
) {
  const { from, to } = doc.line(Math.max(1, Math.min(doc.lines, line)))
  return { from, to, severity: 'error' as const, message }
}

function languageOf(path: string): LanguageSupport | readonly [] {
  switch (path.slice(path.lastIndexOf('.') + 1)) {
    case 'json':
      return json()
    case 'md':
      return markdown()
    case 'yaml':
    case 'yml':
      return yaml()
    case 'py':
      return python()
    case 'js':
    case 'mjs':
    case 'ts':
    case 'tsx':
      return javascript({ typescript: true, jsx: path.endsWith('x') })
    default:
      return []
  }
}

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--bg-card)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '13px', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--accent)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': {
    color: 'var(--muted)',
    backgroundColor: 'var(--bg-soft)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--bg-hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'var(--accent-soft)' },
  '.cm-panels, .cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--bg-card)',
    borderColor: 'var(--line)',
  },
})

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.literal], color: 'var(--warn)' },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'var(--run)' },
  { tag: [tags.comment, tags.meta], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.link, color: 'var(--accent)', textDecoration: 'underline' },
  { tag: tags.invalid, color: 'var(--bad)' },
])
