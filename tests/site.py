"""The site (scripts/site.py) in headless Chromium: links, search, sizes, light and dark, narrow windows. Nothing is fetched.

usage: site.py FOLDER
"""

import glob
import os
import re
import sys
import time
import urllib.parse

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

FOLDER = os.path.abspath(sys.argv[1])
failures = []


def expect(is_true, what):
    if not is_true:
        failures.append(what)
        print("failed:", what, flush=True)


def anchors(path):
    with open(path, encoding="utf-8") as file:
        return set(re.findall(r'\bid="([^"]*)"', file.read()))


def check_links():
    pages = [path for path in glob.glob(os.path.join(FOLDER, "**/*.html"), recursive=True) if "/reports/" not in path]
    known = {path: anchors(path) for path in pages}
    for path in pages:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        expect(len(text) < 1_000_000, f"{path}: below 1 MB, got {len(text)}")
        expect("<script src=" in text and "http-equiv" not in text, f"{path}: its scripts")
        for target in re.findall(r'(?:href|src)="([^"]*)"', text):
            if re.match(r"https?:", target):
                continue
            to, _, fragment = urllib.parse.unquote(target).partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(path), to)) if to else path
            expect(os.path.exists(to), f"{path}: {target} is there")
            expect(not fragment or to not in known or fragment in known[to], f"{path}: {target} has its section")
        expect(not re.search(r'(?:src|href)="[^"]*\.md[#"]', text), f"{path}: no link to Markdown")
        expect(not re.search(r'(?:<script|<link|<img)[^>]*"https?:', text), f"{path}: nothing from the network")


def start(dark=False):
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * 127.0.0.1:9"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
    return browser


def check_in_browser():
    browser = start()
    colours = []
    browser.get("file://" + os.path.join(FOLDER, "index.html"))
    expect(browser.execute_script("return document.documentElement.dataset.search") == "ready", "the search starts from file://")
    box = browser.find_element(By.ID, "search")
    for words, page in (("confidence interval", "docs/intervals.html"), ("normsub", "docs/methods.html"), ("norm_sub projection", "docs/"), ("how often wrong statements", "studies/statements.html"), ("compare methods", "docs/")):
        box.clear()
        box.send_keys(words)
        links = [link.get_attribute("href") for link in browser.find_elements(By.CSS_SELECTOR, "#found a")]
        expect(any(page in link for link in links), f"{words}: finds {page}, got {links[:3]}")
        expect(not browser.find_element(By.ID, "page").is_displayed(), "results are shown in place of the page")
    box.clear()
    box.send_keys("confidence interval")
    first = browser.find_element(By.CSS_SELECTOR, "#found a").get_attribute("href")
    expect("intervals" in first, f"a title that has a word comes before texts that have both, got {first}")
    box.clear()
    box.send_keys("xyzzy")
    expect("Nothing" in browser.find_element(By.ID, "found").text, "what is not there is said")
    box.clear()
    box.send_keys("compare methods on your data")
    browser.find_element(By.CSS_SELECTOR, "#found a").click()
    time.sleep(0.2)
    expect("python.html" in browser.current_url, f"a result leads to its page, got {browser.current_url}")
    for dark in (False, True):
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        colours.append(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))
    expect(colours[0] != colours[1], f"light and dark, got {colours}")
    browser.get("file://" + os.path.join(FOLDER, "studies/oracles.html"))
    picture = browser.execute_script("const i = document.querySelector('img'); return [i.clientWidth, getComputedStyle(i).filter]")
    expect(picture[0] < 960, f"a picture has its own width, got {picture}")
    expect("invert" in picture[1], f"no white picture on a dark page, got {picture}")
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True})
    for page in ("index.html", "docs/python.html", "docs/reference.html"):
        browser.get("file://" + os.path.join(FOLDER, page))
        expect(browser.execute_script("return document.documentElement.scrollWidth") <= 390, f"{page}: no wider than a telephone")
        top = browser.execute_script("return ['main', 'nav'].map(x => document.querySelector(x).getBoundingClientRect().top)")
        expect(top[0] < 200 and top[0] < top[1], f"{page}: the text comes before the list of pages, got {top}")
        took = browser.execute_script("const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd - t.startTime")
        expect(took < 3000, f"{page}: loads within 3 s of a busy machine, took {took} ms")
    said = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    expect(not said, f"nothing on the console, got {said[:2]}")
    browser.quit()


check_links()
check_in_browser()
size = sum(os.path.getsize(path) for path in glob.glob(os.path.join(FOLDER, "**/*"), recursive=True) if os.path.isfile(path))
expect(size < 20_000_000, f"below 20 MB, got {size}")
sys.exit(bool(failures))
