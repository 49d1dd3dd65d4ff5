/* A lock with one bit that is tested and set in one step: lock.ere, for Spin. */
#define IDLE 0
#define TRYING 1
#define CRITICAL 2

byte at[N];
bit locked;

#define try(p) :: d_step { at[p] == IDLE -> at[p] = TRYING }
#define acquire(p) :: d_step { at[p] == TRYING && !locked -> locked = 1; at[p] = CRITICAL }
#define release(p) :: d_step { at[p] == CRITICAL -> locked = 0; at[p] = IDLE }
#define steps(p) try(p) acquire(p) release(p)

active proctype system() {
end:	do
	steps(0) steps(1) steps(2) steps(3) steps(4) steps(5) steps(6) steps(7)
	steps(8) steps(9) steps(10) steps(11) steps(12) steps(13) steps(14) steps(15)
	od
}

#ifdef WORKS
ltl works { ([]<> (at[0] == CRITICAL)) -> ([]<> (at[0] == IDLE)) }
#endif
