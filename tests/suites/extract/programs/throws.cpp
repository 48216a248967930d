// A program with a switch and exceptions, for tests of what is found in the code that compilers
// make.
int decide(int);

int tried(int number) {
  try {
    switch (number) {
      case 0:
        return decide(3);
      case 1:
        return decide(1) + 1;
      case 2:
        return decide(4) * 5;
      case 3:
        return decide(1) - 5;
      case 4:
        return decide(9) / 2;
      case 5:
        throw 6;
      default:
        return decide(number);
    }
  } catch (int thrown) {
    return decide(thrown) + 7;
  }
}
