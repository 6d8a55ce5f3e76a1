import { useEffect, useId, useRef, type ReactNode } from 'react'
import { Icon, type IconName } from './icons.tsx'

export interface PopoverProps {
  readonly label: string
  readonly icon: IconName
  /** Beside the label, such as a number. */
  readonly badge?: number | undefined
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
  readonly children: ReactNode
}

/** A button with a panel below it, which a click elsewhere and Escape close. */
export function Popover({
  label,
  icon,
  badge,
  isOpen,
  onToggle,
  children,
}: PopoverProps): ReactNode {
  const id = useId()
  const root = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const closeOutside = ({ target }: Event): void => {
      if (target instanceof Node && !root.current?.contains(target)) onToggle(false)
    }
    document.addEventListener('pointerdown', closeOutside)
    const panel = root.current?.querySelector('.popover')
    const first =
      panel?.querySelector<HTMLElement>('[data-focus] :is(input, select)') ??
      panel?.querySelector<HTMLElement>('input, select, textarea, button, a')
    first?.focus()
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [isOpen])
  return (
    <div
      ref={root}
      className="popover-root"
      onKeyDown={(event) => {
        if (!isOpen || event.key !== 'Escape') return
        event.stopPropagation()
        onToggle(false)
        button.current?.focus()
      }}
    >
      <button
        ref={button}
        type="button"
        className="quiet"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => onToggle(!isOpen)}
      >
        <Icon name={icon} />
        <span>{label}</span>
        {badge !== undefined && badge > 0 && <b className="count">{badge}</b>}
      </button>
      {isOpen && (
        <div id={id} className="popover" role="group" aria-label={label}>
          {children}
        </div>
      )}
    </div>
  )
}
