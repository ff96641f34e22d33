// Runs one of our TypeScript programs in this process: node scripts/run.mjs FILE [arguments]. A wrapper process would
// stand between us and Ctrl-C. Old syntax on purpose: an old Node must get as far as the sentence.
const wanted = [20, 19]
const have = process.versions.node.split('.').map(Number)
if (have[0] < wanted[0] || (have[0] === wanted[0] && have[1] < wanted[1])) {
  console.error('Drydock needs Node ' + wanted.join('.') + ' or later; this is ' + process.versions.node + '.')
  console.error('Install a current Node (https://nodejs.org), then run npm ci again.')
  process.exit(1)
}
import('./run-typescript.mjs')
