/** Kubernetes' rules for names, labels and annotations: each gives what is wrong, in the server's words. */

const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/
const LABEL_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const NAME_TEXT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const LABEL_1123 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const LABEL_1123_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const LABEL_1035_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

export function badLabelValue(value: string): string[] {
  return [
    ...(value.length > 63 ? ['must be no more than 63 bytes'] : []),
    ...(LABEL_VALUE.test(value) ? [] : [LABEL_TEXT]),
  ]
}

/** The key of a label or annotation: an optional domain, a slash, a name. */
export function badKey(key: string): string[] {
  const parts = key.split('/')
  const name = parts.at(-1)!
  const problems: string[] = []
  if (parts.length > 2)
    return [
      `a qualified name ${NAME_TEXT.slice('name part '.length)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  if (parts.length === 2 && !SUBDOMAIN.test(parts[0]!)) problems.push(`prefix part ${SUBDOMAIN_TEXT}`)
  if (name.length > 63) problems.push('name part must be no more than 63 bytes')
  if (!NAME.test(name)) problems.push(NAME_TEXT)
  return problems
}

export function badName(name: string, kind: 'subdomain' | 'label' | 'dns1035'): string[] {
  if (kind === 'subdomain') return SUBDOMAIN.test(name) ? [] : [SUBDOMAIN_TEXT]
  const [pattern, text] = kind === 'label' ? [LABEL_1123, LABEL_1123_TEXT] : [LABEL_1035, LABEL_1035_TEXT]
  const long = name.length > 63 ? ['must be no more than 63 characters'] : []
  if (pattern.test(name)) return long
  return [...long, kind === 'label' && SUBDOMAIN.test(name) ? 'must not contain dots' : text]
}
