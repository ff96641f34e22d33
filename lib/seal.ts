import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Sealed bytes are: 12 bytes nonce, 16 bytes tag, ciphertext. AES-256-GCM; the row's identity is additional data. */
export interface Sealed {
  sealed: Uint8Array<ArrayBuffer>
  keyId: string
}

interface Key {
  bytes: Buffer
  id: string
}

const shared = globalThis as typeof globalThis & { __drydockKey?: Key }

/** Where the key file lies when the environment gives no key. */
function keyFile(): string {
  return process.env.DRYDOCK_KEY_FILE ?? join(process.env.DRYDOCK_DATA_DIR ?? '.drydock', 'key')
}

function readKey(): Key {
  const given = process.env.DRYDOCK_KEY
  const bytes = given ? decode(given, 'DRYDOCK_KEY') : keyFromFile(keyFile())
  return { bytes, id: createHash('sha256').update(bytes).digest('hex').slice(0, 12) }
}

function decode(text: string, from: string): Buffer {
  const bytes = Buffer.from(text.trim(), 'base64')
  if (bytes.length !== 32)
    throw new Error(`${from} must be 32 bytes in base64 (make one with: openssl rand -base64 32).`)
  return bytes
}

function keyFromFile(file: string): Buffer {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    try {
      writeFileSync(file, randomBytes(32).toString('base64') + '\n', { mode: 0o600, flag: 'wx' })
    } catch (error) {
      // Web and worker may start together: whoever came second reads what the first one wrote.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  chmodSync(file, 0o600)
  return decode(readFileSync(file, 'utf8'), file)
}

const key = (): Key => (shared.__drydockKey ??= readKey())

/** Says what is wrong with the key, where something is. */
export const requireKey = (): void => void key()

/** Seals text for one row: `aad` names the row, so that a sealed value cannot be moved to another. */
export function seal(text: string, aad: string): Sealed {
  const { bytes, id } = key()
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce)
  cipher.setAAD(Buffer.from(aad))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return { sealed: new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), body])), keyId: id }
}

/** Throws a plain sentence where the key is another one or the bytes were changed. */
export function unseal(value: Sealed, aad: string): string {
  const { bytes, id } = key()
  if (value.keyId !== id) {
    throw new Error(
      `Sealed with the key ${value.keyId}, but this process has the key ${id}: restore the key file or DRYDOCK_KEY.`,
    )
  }
  const data = Buffer.from(value.sealed)
  const decipher = createDecipheriv('aes-256-gcm', bytes, data.subarray(0, 12))
  decipher.setAAD(Buffer.from(aad))
  decipher.setAuthTag(data.subarray(12, 28))
  try {
    return Buffer.concat([decipher.update(data.subarray(28)), decipher.final()]).toString('utf8')
  } catch {
    throw new Error('A sealed value does not open: it was changed, or belongs to another row.')
  }
}

/** Tells equal texts from others; without the key nobody can find a text by trying, however short it is. */
export function keyedDigest(text: string): string {
  const own = Buffer.from(hkdfSync('sha256', key().bytes, '', 'drydock masked values', 32))
  return createHmac('sha256', own).update(text).digest('hex')
}
