import { useEffect, useState, type ReactNode } from 'react'
import { Icon } from './icons.tsx'

export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string
  readonly label?: string
}): ReactNode {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    ) // not allowed here
  return (
    <button
      type="button"
      className="quiet copy"
      onClick={copy}
      aria-label={copied ? 'Copied' : label}
      title={label}
    >
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  )
}
