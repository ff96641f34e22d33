import type { Json } from '../../../lib/domain/json'
import * as b from './bodies'
import {
  bound,
  whole,
  applied,
  apply,
  force,
  stanza,
  post,
  EMPTY,
  automatic,
  AUTOMATIC,
  said,
  type Scenario,
} from './step'

/** What is there, which version of it, and in which form it is written. */
export const PRESENCE: Scenario[] = [
  {
    name: 'there is none',
    start: null,
    steps: [
      { name: 'get', method: 'GET' },
      { name: 'patch', body: b.ackOcp() },
      { name: 'patch, dry', body: b.ackOcp(), query: { dryRun: 'All' } },
      { name: 'patch the status', path: 'cluster/status', body: { status: { observedGeneration: 1 } } },
      { name: 'JSON patch', type: 'json', body: [{ op: 'add', path: '/spec/logLevel', value: 'Debug' }] },
      { name: 'put', method: 'PUT', body: applied({}) },
      { name: 'delete', method: 'DELETE' },
      { ...apply('apply the status', {}), path: 'cluster/status' },
      post('post without spec', whole({})),
      post('post with spec null', whole({ spec: null })),
      post('post with a bad state', applied({ managementState: 'Nobody' })),
      post('post with a bad stanza', applied(stanza({ mode: 'None', manual: { mode: 'OCPVersion' } }))),
      post('post with a bad label', { ...applied({}), metadata: { name: 'cluster', labels: { a: 'b c' } } }),
      post('post with a label that is a number', { ...applied({}), metadata: { name: 'cluster', labels: { a: 1 } } }),
      post('post without a name', { ...applied({}), metadata: {} }),
      post('post with a bad name', { ...applied({}), metadata: { name: 'Clus_ter' } }),
      post('post of another kind', { ...applied({}), kind: 'MachineConfig' }),
      post('post of another version', { ...applied({}), apiVersion: 'operator.openshift.io/v2' }),
      post('post with an unknown field, strictly', applied({ colour: 'red' }), { fieldValidation: 'Strict' }),
      post('post with an unknown field, dry', applied({ colour: 'red' }), { dryRun: 'All' }),
      post('post with an unknown field, ignored', applied({ colour: 'red' }), {
        ...{ fieldValidation: 'Ignore', dryRun: 'All' },
      }),
      post('post the stanza, dry', applied(stanza(b.byOcp())), { dryRun: 'All' }),
      { name: 'it is not there', method: 'GET' },
      post('post', applied({})),
      post('post again', applied({})),
      { name: 'delete it', method: 'DELETE' },
      post('post with status', { ...applied(stanza({ mode: 'None' })), status: { observedGeneration: 3 } }),
      { name: 'get it', method: 'GET' },
      { name: 'get its status', method: 'GET', path: 'cluster/status' },
      { name: 'get its scale', method: 'GET', path: 'cluster/scale' },
    ],
  },
  {
    name: 'apply makes it',
    start: null,
    steps: [
      { ...apply('without a manager', stanza(b.byOcp())), query: {} },
      apply('with one, dry', stanza(b.byOcp()), { dryRun: 'All' }),
      apply('with one', stanza(b.byOcp())),
      apply('once more', stanza(b.byOcp())),
      { name: 'without spec', type: 'apply', body: whole({}), query: { fieldManager: 'drydock' } },
    ],
  },
  {
    name: 'one of another name',
    start: EMPTY,
    steps: [
      post('post', { ...applied({}), metadata: { name: 'other' } }),
      { name: 'patch', path: 'other', body: b.ackOcp() },
      { name: 'delete', method: 'DELETE', path: 'other' },
    ],
  },
]

export const VERSIONS: Scenario[] = [
  {
    name: 'versions of the object',
    start: EMPTY,
    steps: [
      { name: 'patch of this version', body: bound(b.ackOcp()) },
      { name: 'the same again', body: bound(b.ackOcp()) },
      { name: 'the same from another', body: b.ackOcp(), query: { fieldManager: 'other' } },
      { name: 'patch of an older version', body: { metadata: { resourceVersion: '1' }, ...b.optOut } },
      {
        ...{ name: 'that, dry', body: { metadata: { resourceVersion: '1' }, ...b.optOut } },
        query: { dryRun: 'All' },
      },
      { name: 'an older version and nothing else', body: { metadata: { resourceVersion: '1' } } },
      { name: 'an older version and a bad stanza', body: { metadata: { resourceVersion: '1' }, ...b.skew({}) } },
      { name: 'another uid', body: { metadata: { uid: '00000000-0000-4000-8000-000000000000' }, ...b.optOut } },
      { name: 'put without a version', method: 'PUT', body: applied({}) },
      { name: 'put of an older version', method: 'PUT', body: applyVersion('1') },
      { name: 'put of this version', method: 'PUT', body: (now) => ({ ...now, spec: stanza({ mode: 'None' }) }) },
      { name: 'put of the same', method: 'PUT', body: (now) => now },
      { name: 'put under another name', method: 'PUT', path: 'other', body: applied({}) },
      { name: 'another generation', body: { metadata: { generation: 99 } } },
      { name: 'no version', body: { metadata: { resourceVersion: null }, ...b.ackRhcos() } },
    ],
  },
  {
    name: 'JSON patches',
    start: { spec: stanza(b.byOcp()) },
    steps: [
      { name: 'a test that holds', type: 'json', body: replaceMode('Manual') },
      { name: 'a test that fails', type: 'json', body: replaceMode('Manual') },
      { name: 'remove what is not there', type: 'json', body: [{ op: 'remove', path: '/spec/managedBootImages' }] },
      { name: 'remove', type: 'json', body: [{ op: 'remove', path: '/spec/bootImageSkewEnforcement' }] },
      { name: 'add', type: 'json', body: [{ op: 'add', path: '/spec/bootImageSkewEnforcement', value: b.byOcp() }] },
      { name: 'add an unknown field', type: 'json', body: [{ op: 'add', path: '/spec/colour', value: 'red' }] },
      { name: 'no list', type: 'json', body: { op: 'remove', path: '/spec' } },
      { name: 'no operation', type: 'json', body: [{ op: 'bend', path: '/spec' }] },
      { name: 'empty', type: 'json', body: [] },
      { name: 'without spec', type: 'json', body: [{ op: 'remove', path: '/spec' }] },
    ],
  },
  {
    name: 'how a patch may come',
    start: EMPTY,
    steps: [
      { name: 'as JSON', type: 'application/json', body: b.ackOcp() },
      { name: 'as a strategic merge', type: 'application/strategic-merge-patch+json', body: b.ackOcp() },
      { name: 'as text', type: 'text/plain', body: b.ackOcp() },
      { name: 'dry, but how', body: b.ackOcp(), query: { dryRun: 'Some' } },
      { name: 'validated, but how', body: b.ackOcp(), query: { fieldValidation: 'Some' } },
      { name: 'unknown field, ignored', body: b.skew({ mode: 'None', why: 1 }), query: { fieldValidation: 'Ignore' } },
      { name: 'unknown field, warned', body: b.skew({ mode: 'None', why: 1 }), query: { fieldValidation: 'Warn' } },
      { name: 'a merge that is forced', body: b.ackOcp(), query: force },
      { name: 'a subresource that is none', path: 'cluster/scale', body: b.ackOcp() },
      { name: 'the whole collection', path: '', body: b.ackOcp() },
    ],
  },
]

function replaceMode(from: string): Json {
  const path = '/spec/bootImageSkewEnforcement'
  return [
    { op: 'test', path: `${path}/mode`, value: from },
    { op: 'replace', path, value: { mode: 'None' } },
  ]
}

function applyVersion(resourceVersion: string): Json {
  return { ...applied({}), metadata: { name: 'cluster', resourceVersion } }
}

export const SEQUENCES: Scenario[] = [
  {
    name: 'two steps away from Automatic',
    start: AUTOMATIC,
    steps: [
      { name: 'both in one', body: b.both(b.ackOcp(), b.managers(b.sets('None'))) },
      { name: 'first step', body: b.ackOcp() },
      { name: 'second step at once', body: b.managers(b.sets('None')) },
      said('the operator follows', { ...b.byOcp(), automatic: null }),
      { name: 'second step', body: b.managers(b.sets('None')) },
      said('the operator is Automatic again', { ...automatic, manual: null }),
      { name: 'the way back in one', body: b.both(b.skew(null), b.managers(b.sets('All'))) },
      said('the operator stays Automatic', { ...automatic, manual: null }),
    ],
  },
  {
    name: 'a step that is called off',
    start: AUTOMATIC,
    steps: [
      { name: 'first step', body: b.optOut },
      { name: 'called off', body: b.skew(null) },
      { name: 'called off again', body: b.skew(null) },
      { name: 'clear what is managed', body: b.managed(null) },
      { name: 'sets None while Automatic', body: b.managers(b.sets('None')) },
      { name: 'a list of planes only', body: b.managers(b.planes('All')) },
    ],
  },
]
