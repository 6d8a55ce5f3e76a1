import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import './app.css'

export const metadata: Metadata = { title: 'Help of a shop' }

export default function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
