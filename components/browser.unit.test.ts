import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = process.cwd()
const IMPORTS = /(?:import|export)\s+(?!type\b)([^'";]*?)\s*from\s+'([^']+)'/g

function fileOf(from: string, name: string): string | undefined {
  const path = name.startsWith('@/') ? join(root, name.slice(2)) : name.startsWith('.') && resolve(dirname(from), name)
  if (!path) return undefined
  return ['', '.ts', '.tsx', '/index.ts', '/index.tsx']
    .map((end) => path + end)
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
}

/** Names that a file imports; not those of types alone, nor of server actions, which stay on the server. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  if (text.startsWith(`'use server'`)) return []
  const only = /^\{(\s*type\s[^,}]*,?)+\s*\}$/
  return [...text.matchAll(IMPORTS)].flatMap(([, what, name]) => (only.test(what!) ? [] : [name!]))
}

/** How something of Node comes to where a browser starts; empty: by no way. */
function ofNode(start: string): string[] {
  const cameFrom = new Map<string, string | null>([[start, null]])
  for (const file of cameFrom.keys())
    for (const name of importsOf(file)) {
      if (name.startsWith('node:')) {
        const way: string[] = [name]
        for (let at: string | null | undefined = file; at; at = cameFrom.get(at)) way.push(at.slice(root.length + 1))
        return way
      }
      const found = fileOf(file, name)
      if (found && !cameFrom.has(found)) cameFrom.set(found, file)
    }
  return []
}

// A stand-in for node:crypto alone is 130 KB of what a browser loads, gzipped.
it('what runs in a browser needs nothing of Node', () => {
  const client = ['app', 'components']
    .flatMap((dir) =>
      readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' }).map((f) => join(root, dir, f)),
    )
    .filter((file) => file.endsWith('.tsx') && readFileSync(file, 'utf8').startsWith(`'use client'`))
  expect(client.length).toBeGreaterThan(100)
  expect(client.map(ofNode).filter(([first]) => first)).toEqual([])
})
