// The script of the page of the game: it follows the steps that the page lists.

enum ScheduleScript {
  static let text = #"""
    'use strict';
    (() => {
      const levels = JSON.parse(document.getElementById('levels').textContent);
      const words = {
        ready: 'ready', waiting: 'waits for a permit', timed: 'waits; a step ends its time',
        queued: 'queued on the main queue', unsubmitted: 'not submitted yet',
        ended: 'ended by the trap', finished: 'finished'
      };
      const solved = new Set();
      // The level, and the steps so far: [thread, index of the node, sentence].
      let level, path;

      const element = id => document.getElementById(id);
      function make(name, parent, text, className) {
        const made = document.createElement(name);
        if (text !== undefined) made.textContent = text;
        if (className) made.className = className;
        parent.append(made);
        return made;
      }
      const node = () => level.nodes[path.length ? path[path.length - 1][1] : 0];
      const isReached = () => node()[3] === 1;

      // The address has the level and the steps, so it can be kept and sent.
      function open(number, focuses, steps) {
        level = levels[number - 1];
        path = [];
        for (const thread of steps || []) {
          const found = node()[4].find(step => step[0] === thread - 1);
          if (!found) break;
          path.push(found);
        }
        element('number').textContent = 'Level ' + number + ' of ' + levels.length;
        element('title').textContent = level.title;
        element('goal').textContent = level.goal;
        element('solution').textContent = level.solution.join(', ');
        element('spoiler').open = false;
        showHint(false);
        build();
        show();
        if (focuses) element('title').focus();
        say('Level ' + number + ': ' + level.title + '. ' + level.goal);
      }

      function showHint(isShown) {
        element('hint').textContent = isShown ? 'Hint: ' + level.hint : '';
        element('hint').hidden = !isShown;
        element('help').setAttribute('aria-expanded', isShown);
        if (isShown) say('Hint: ' + level.hint);
      }

      function build() {
        const parent = element('threads');
        parent.replaceChildren();
        level.threads.forEach((thread, index) => {
          const card = make('article', parent, undefined, 'thread');
          const button = make('button', card);
          button.setAttribute('aria-keyshortcuts', index + 1);
          make('kbd', button, index + 1);
          make('strong', button, thread.name);
          make('span', button, '', 'chip');
          button.addEventListener('click', () => step(index));
          const list = make('ol', card);
          thread.lines.forEach(line => make('li', list, line));
        });
        const values = element('values');
        values.replaceChildren();
        level.names.forEach(name => {
          const pair = make('div', values);
          make('dt', pair, name);
          make('dd', pair);
        });
      }

      function show() {
        const [positions, conditions, values, , steps] = node();
        const can = steps.map(step => step[0]);
        element('threads').querySelectorAll('.thread').forEach((card, index) => {
          const canStep = can.includes(index);
          card.classList.toggle('can', canStep);
          card.querySelector('button').setAttribute('aria-disabled', !canStep);
          const chip = card.querySelector('.chip');
          chip.textContent = words[conditions[index]];
          chip.className = 'chip ' + conditions[index];
          card.querySelectorAll('li').forEach((line, number) => {
            const isNext = number === positions[index];
            line.className = isNext ? 'here' : number < positions[index] ? 'done' : '';
            if (isNext) line.setAttribute('aria-current', 'step');
            else line.removeAttribute('aria-current');
          });
        });
        const before = path.length > 1 ? level.nodes[path[path.length - 2][1]] : level.nodes[0];
        element('values').querySelectorAll('div').forEach((pair, index) => {
          pair.querySelector('dd').textContent = values[index];
          pair.classList.toggle('changed', before[2][index] !== values[index]);
        });
        const list = element('steps');
        list.replaceChildren();
        path.forEach(([, , note]) => make('li', list, note));
        list.scrollTop = list.scrollHeight;
        element('none').hidden = path.length > 0;
        for (const id of ['undo', 'restart']) {
          element(id).setAttribute('aria-disabled', path.length === 0);
        }
        if (isReached()) solved.add(level.number);
        showBanner(steps.length === 0);
        showTabs();
        document.body.dataset.level = level.number;
        document.body.dataset.steps = path.length;
        document.body.dataset.reached = isReached();
        const taken = path.map(step => step[0] + 1).join(',');
        history.replaceState(null, '', '#' + level.number + (taken && ':' + taken));
      }

      function showBanner(isOver) {
        const banner = element('banner');
        banner.replaceChildren();
        banner.hidden = !isOver;
        if (!isOver) return;
        banner.className = 'banner ' + (isReached() ? 'reached' : 'missed');
        const text = make('p', banner);
        make('strong', text, isReached() ? 'Goal reached' : 'Goal missed');
        const count = path.length + (path.length === 1 ? ' step' : ' steps');
        text.append(isReached() ? ' in ' + count + '. ' + level.lesson
          : '. No thread can step. Another order can reach it: undo, or restart.');
        if (!isReached()) return;
        const real = make('p', banner, 'The same for real: ');
        make('code', real, 'weir-demo pitfalls ' + level.pitfall);
        if (level.number < levels.length) {
          const next = make('button', make('p', banner), 'Next level (n)');
          next.addEventListener('click', () => open(level.number + 1, true));
        }
      }

      function showTabs() {
        const tabs = element('tabs');
        if (!tabs.children.length) levels.forEach(other => {
          const tab = make('button', tabs);
          make('b', tab);
          make('span', tab, other.title);
          tab.addEventListener('click', () => open(other.number, true));
        });
        levels.forEach((other, index) => {
          const tab = tabs.children[index];
          const isSolved = solved.has(other.number);
          tab.classList.toggle('solved', isSolved);
          tab.firstChild.textContent = isSolved ? '\u2713' : other.number;
          tab.setAttribute('aria-label', 'Level ' + other.number + ': ' + other.title
            + (isSolved ? ', reached' : ''));
          if (other === level) tab.setAttribute('aria-current', 'true');
          else tab.removeAttribute('aria-current');
        });
      }

      function step(thread) {
        const found = node()[4].find(step => step[0] === thread);
        if (!found) {
          if (isReached()) return say('The goal is reached.');
          const condition = node()[1][thread];
          if (condition) say((thread + 1) + ' cannot step: ' + words[condition] + '.');
          return;
        }
        path.push(found);
        show();
        const values = level.names.map((name, index) => name + ' ' + node()[2][index]);
        const end = isReached() ? ' Goal reached. ' + level.lesson
          : node()[4].length === 0 ? ' Goal missed.' : '';
        say(found[2] + ' ' + values.join(', ') + '.' + end);
      }

      function undo() {
        if (!path.length) return;
        path.pop();
        show();
        say('One step back, ' + path.length + ' left.');
      }

      function restart() {
        path = [];
        show();
        say('From the start.');
      }

      function say(text) { element('live').textContent = text; }

      element('undo').addEventListener('click', undo);
      element('restart').addEventListener('click', restart);
      element('help').addEventListener('click', () => showHint(element('hint').hidden));
      document.addEventListener('keydown', event => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const number = parseInt(event.key, 10);
        if (number >= 1 && number <= level.threads.length) step(number - 1);
        else if (event.key === 'u') undo();
        else if (event.key === 'r') restart();
        else if (event.key === 'h') showHint(element('hint').hidden);
        else if (event.key === 'n' && isReached() && level.number < levels.length) {
          open(level.number + 1, true);
        } else return;
        event.preventDefault();
      });
      function openAddress(focuses) {
        const [number, steps] = location.hash.slice(1).split(':');
        open(number >= 1 && number <= levels.length ? Number(number) : 1, focuses,
          steps ? steps.split(',').map(Number) : []);
      }
      window.addEventListener('hashchange', () => openAddress(true));
      document.querySelector('main').hidden = false;
      openAddress(false);
    })();
    """#
}
