import './globals.css'
import { GeistMono } from 'geist/font/mono'
import { GeistSans } from 'geist/font/sans'
import type { Metadata, Viewport } from 'next'
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'

export const metadata: Metadata = { title: { default: 'Drydock', template: '%s · Drydock' }, robots: { index: false } }
export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f8fafb' },
    { media: '(prefers-color-scheme: dark)', color: '#0d1216' },
  ],
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = (await cookies()).get('drydock.theme')?.value
  return (
    <html
      lang="en-GB"
      data-theme={theme === 'light' || theme === 'dark' ? theme : undefined}
      className={`${GeistSans.variable} ${GeistMono.variable}`}
    >
      <body>{children}</body>
    </html>
  )
}
