import { expect, test } from 'vitest'
import { freePort } from './free-port'

test('nobody is given the port of another', async () => {
  const ports: number[] = []
  for (let i = 0; i < 500; i++) ports.push(await freePort())
  expect(new Set(ports).size).toBe(500)
})
