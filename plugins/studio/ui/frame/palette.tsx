import { Command } from 'cmdk'
import type { ReactNode } from 'react'
import type { SessionSummary } from '@amodal/sdk/client'
import type { PageList } from '@amodal/plugin-pages/tokens'
import { go, type Route } from '../model/route.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon, type IconName } from '../parts/icons.tsx'
import { STRINGS } from '../strings.ts'
import type { Place } from './places.ts'

export interface PaletteProps {
  readonly places: readonly Place[]
  readonly sessions: readonly SessionSummary[]
  readonly pages: PageList | undefined
  readonly actions: readonly PaletteAction[]
  readonly onClose: () => void
}

/** Something that the palette does, beside leading somewhere. */
export interface PaletteAction {
  readonly title: string
  readonly icon: IconName
  readonly run: () => void
}

/** Everything that one can jump to, by what is typed. */
export default function Palette(props: PaletteProps): ReactNode {
  const { onClose } = props
  const { palette } = STRINGS
  return (
    <Dialog className="palette" label={palette.title} onClose={onClose}>
      {(close) => <Entries {...props} close={close} />}
    </Dialog>
  )
}

function Entries({
  places,
  sessions,
  pages,
  actions,
  close,
}: PaletteProps & { readonly close: () => void }): ReactNode {
  const { palette } = STRINGS
  const pick = (run: () => void) => (): void => {
    close()
    run()
  }
  const open = (route: Route) => pick(() => go(route))
  return (
    <Command label={palette.title} loop>
      <Command.Input autoFocus placeholder={palette.placeholder} />
      <Command.List>
        <Command.Empty>{palette.empty}</Command.Empty>
        <Command.Group heading={palette.places}>
          {places.map(({ key, title, icon, route }) => (
            <Item key={key} value={`place ${key}`} {...{ title, icon }} onPick={open(route)} />
          ))}
        </Command.Group>
        <Command.Group heading={palette.actions}>
          {actions.map(({ title, icon, run }) => (
            <Item key={title} value={`action ${title}`} {...{ title, icon }} onPick={pick(run)} />
          ))}
        </Command.Group>
        {pages && pages.pages.length > 0 && (
          <Command.Group heading={palette.pages}>
            {pages.pages.map(({ name, title }) => (
              <Item
                key={name}
                value={`page ${name}`}
                title={title}
                icon="pages"
                onPick={open({ view: 'page', name, query: '' })}
              />
            ))}
          </Command.Group>
        )}
        {sessions.length > 0 && (
          <Command.Group heading={palette.sessions}>
            {sessions.map(({ id, title }) => (
              <Item
                key={id}
                value={`session ${id}`}
                title={title || 'Untitled'}
                icon="chat"
                onPick={open({ view: 'chat', session: id })}
              />
            ))}
          </Command.Group>
        )}
      </Command.List>
    </Command>
  )
}

function Item({
  value,
  title,
  icon,
  onPick,
}: {
  readonly value: string
  readonly title: string
  readonly icon: IconName
  readonly onPick: () => void
}): ReactNode {
  return (
    <Command.Item value={value} keywords={[title]} onSelect={onPick}>
      <Icon name={icon} />
      <span className="title">{title}</span>
    </Command.Item>
  )
}
