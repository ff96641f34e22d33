import type { Json, JsonObject } from '../json'
import { isObject } from './canonical'

export const MASK = '••••••'

/** Whether a key says that a credential is below it: in whatever it has, or only in a text of it (an object has names of its own). */
export type Telling = 'all' | 'text' | null

const QUICK =
  /token|pass|pwd|pw\b|Pw\b|PW\b|secret|cred|key|user|content|inline|auth|cookie|jwt|bearer|psk|protected|docker|connection/i
// `tokenizer` is another word.
const WORD =
  /token(?!i[sz])|passw(?:or)?d|passphrase|passcode|pwd|^creds?$|secret|credential|(?:api|private|access|account|shared|master|signing|activation|raw|auth|hmac|storage|certificate|encrypted)key|userdata|keydata|^cookie$|^jwt$|^bearer$|^psk$/
/** Only together: "api key", "user-data". */
const TWO =
  /^(?:(?:api|private|access|account|shared|master|signing|activation|raw|auth|hmac|storage|certificate|encrypted)keys?|userdata|keydata|keymaterial|protectedsettings|connectionstring|passphrase)$/
const EXACT: Record<string, Telling> = {
  content: 'all',
  contents: 'text',
  inline: 'text',
  auth: 'text',
  authorization: 'text',
  dockerconfigjson: 'all',
  bootstraptoken: 'text',
  bootstraptokens: 'text',
  encryptionkey: 'text',
  // "required" or "optional", of AWS.
  httptokens: null,
  // Of a certificate that everybody may know.
  discoverytokencacerthash: null,
  // A flag of the kubelet, with a file.
  imagecredentialproviderconfig: null,
}
/** "secretName", "tokenTTL", "passwordPolicy": what ends so speaks about a credential and is none. */
const ABOUT = new Set(
  `name names ref refs reference references namespace namespaces ttl policy policies type types mode path paths file files
  filename dir directory url uri endpoint endpoints host id ids arn arns count prefix backend method methods format version
  expiry expires expiration expired timeout second seconds minutes hours days age length size limit rotation interval
  algorithm provider providers authenticator authenticators class kind label labels selector enabled disabled required
  optional supported stdin manager store requests from issuer audience audiences controller syncs usages groups permissions
  available exists failed ready valid generated created updated rotated at date time status`.split(/\s+/),
)

const wordsOf = (key: string): string[] =>
  key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .map((word) => word.replace(/(?<!\d)\d+$/, ''))
    .filter(Boolean)

/** Whether a text can have a telling word at all. */
export const mayTell = (text: string): boolean => QUICK.test(text)

/** What a name says: of a field, an environment variable, an argument or a header. */
export function tellingOf(key: string): Telling {
  if (!QUICK.test(key)) return null
  const words = wordsOf(key)
  const joined = words.length < 8 ? words.join('') : ''
  if (Object.hasOwn(EXACT, joined)) return EXACT[joined]!
  const last = words.at(-1) ?? ''
  if (last === 'authorization' || last === 'auth' || /encryptionkey$/.test(joined)) return 'text'
  if (/(?:^|ssh|db|sql|user|root|admin|my|bmc)pass$|^pw$/.test(last)) return 'all'
  // Of an AppRole, the id is the secret.
  const about = ABOUT.has(last) && !(last === 'id' && words.at(-2) === 'secret')
  return !about && words.some((word, i) => WORD.test(word) || (i > 0 && TWO.test(words[i - 1]! + word))) ? 'all' : null
}

const NAMING = ['name', 'namespace', 'key', 'kind', 'apiVersion', 'apiGroup', 'uid', 'optional', 'resourceVersion']
const NAMED = /^[\w./:-]{1,253}$/

/** Names a Secret, and is none: {"name": "pull-secret"}, {"name": "a", "key": "x"}. */
const isReference = (key: string, value: JsonObject): boolean =>
  typeof value.name === 'string' &&
  (typeof value.key === 'string' || /secret|cred|user-?data/i.test(key)) &&
  Object.entries(value).every(
    ([key, inner]) =>
      NAMING.includes(key) && (typeof inner === 'boolean' || (typeof inner === 'string' && NAMED.test(inner))),
  )

/** How clouds name a key that they keep: the name of it is no key. */
const KEPT_KEY = /^(?:arn:[\w-]+:kms:|alias\/|projects\/|mrk-|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$)/
const SAYS_NOTHING = /^(?:true|false|)$/i

/** Whether this value is masked for the key that it stands under. */
export function hides(key: string, value: Json | undefined, telling = tellingOf(key)): boolean {
  if (telling === null || value === undefined || value === null || typeof value === 'boolean') return false
  if (typeof value === 'string')
    return !SAYS_NOTHING.test(value) && !(telling === 'text' && /key$/i.test(key) && KEPT_KEY.test(value))
  if (Array.isArray(value)) return value.some((item) => hides(key, item, telling))
  return typeof value === 'number' || (telling === 'all' && Object.keys(value).length > 0 && !isReference(key, value))
}

const isValue = (key: string): boolean => /^values?$/i.test(key)

/** Of an item that is a name and a value (of the environment, arguments, headers), the name says what the value is. */
const saysOfItsValue = (item: Json | undefined): boolean =>
  isObject(item) &&
  Object.entries(item).some(
    ([key, value]) => /^(?:name|key)$/i.test(key) && typeof value === 'string' && tellingOf(value) !== null,
  )

/** Whether the value that an object has under a key is masked as a whole: for the key, or for the object's name. */
export const hidden = (object: JsonObject, key: string): boolean =>
  hides(key, object[key]) || (isValue(key) && saysOfItsValue(object) && hides('secret', object[key]))

/** The same of a change: on either side. Where no side is known, what may be one counts as one. */
export function hiddenAt(sides: readonly (Json | undefined)[], key: string, inList: boolean): boolean {
  const known = sides.filter(isObject)
  if (known.length > 0) {
    const named = isValue(key) && known.some(saysOfItsValue)
    return known.some((side) => hides(key, side[key]) || (named && hides('secret', side[key])))
  }
  return tellingOf(key) === 'all' || (inList && isValue(key))
}
