// Checks that package-lock.json names every platform's packages, `--fix` adds the ones that are not there, and the
// hashes that the registry knows. npm leaves out what it did not find at hand while it wrote the file, and `npm ci`
// then refuses to install on any platform.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const FILE = new URL('../package-lock.json', import.meta.url)
const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const CPUS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

const lock = JSON.parse(readFileSync(FILE, 'utf8'))
const { packages } = lock

/** Whether a package finds another one, in its own folder or in one above. */
function finds(from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (packages[`${folder ? `${folder}/` : ''}node_modules/${name}`]) return true
    if (!folder) return false
    if (!folder.includes('/node_modules/')) folder = ''
  }
}

/** What the name says about where it may be installed, as npm would write it. */
function entry(name, version) {
  const words = name.split('/').at(-1).split(/[-.]/)
  const os = SYSTEMS.filter((system) => words.includes(system))
  const cpu = CPUS.filter((one) => words.includes(one))
  const libc = words.some((word) => word.startsWith('musl')) ? ['musl'] : ['glibc']
  const which = os.includes('linux') && words.some((word) => /^(gnu|musl)/.test(word)) ? { libc } : {}
  if (os.length + cpu.length === 0) throw new Error(`${name} is missing and names no platform: run npm install.`)
  return { version, ...(cpu.length ? { cpu } : {}), ...which, optional: true, ...(os.length ? { os } : {}) }
}

const missing = new Map()
for (const [folder, { optionalDependencies = {} }] of Object.entries(packages))
  for (const [name, version] of Object.entries(optionalDependencies))
    if (!finds(folder, name)) missing.set(`node_modules/${name}`, entry(name, version))

/** The hash that npm checks a download against; a registry that lacks the package has none. */
function integrityOf(folder, version) {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const npm = spawnSync('npm', ['view', `${name}@${version}`, 'dist.integrity'], { encoding: 'utf8' })
  return /^sha512-[A-Za-z0-9+/]{86}==$/m.exec(npm.stdout)?.[0]
}

if (process.argv.includes('--fix')) {
  const all = Object.fromEntries([...Object.entries(packages), ...missing].sort(([a], [b]) => (a < b ? -1 : 1)))
  const without = []
  for (const [folder, { version, integrity, ...rest }] of Object.entries(all)) {
    if (!folder || integrity) continue
    const found = integrityOf(folder, version)
    if (found) all[folder] = { version, integrity: found, ...rest }
    else without.push(folder)
  }
  writeFileSync(FILE, `${JSON.stringify({ ...lock, packages: all }, null, 2)}\n`)
  console.log(`Added ${missing.size} packages of other platforms.`)
  if (without.length > 0)
    console.log(`Your registry has no hash of ${without.join(', ')}: run this again with another.`)
} else if (missing.size > 0) {
  console.error(`package-lock.json lacks ${[...missing.keys()].join(', ')}: run node tools/lockfile.mjs --fix.`)
  process.exitCode = 1
}
